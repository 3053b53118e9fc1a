import type { ConsoleFile } from '#console'
import { ApiError } from '#contract'
import type { Handler } from '../handler.ts'
import { chooseEncoding } from '../response.ts'

/** A file of the console, compressed at build time. */
export const consoleHandler =
  (find: (name: string) => ConsoleFile | undefined): Handler =>
  async ({ ctx, match }) => {
    const file = find(match.params[0] ?? '')
    if (!file) throw new ApiError('not_found', 'There is nothing at this path.')
    const accepted = file.isCompressed ? ctx.headers.acceptEncoding : undefined
    const encoding = chooseEncoding(accepted, file.sizeBytes)
    return {
      status: 200,
      headers: { ...file.headers, ...(encoding && { 'content-encoding': encoding }) },
      content: await file.read(encoding),
    }
  }
