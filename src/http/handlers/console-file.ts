import type { Console, ConsoleFile } from '#console'
import { ApiError } from '#contract'
import type { RequestContext } from '../context.ts'
import type { Handler, MissingPage } from '../handler.ts'
import { chooseEncoding, type PlainResponse, type ResponseHeaders } from '../response.ts'

interface ConsoleHandlerParts {
  readonly find: (name: string) => ConsoleFile | undefined
  /** The page for a name without a file. */
  readonly missing?: MissingPage
  readonly headers?: ResponseHeaders
}

/** A file of the console, compressed at build time. */
export const consoleHandler =
  ({ find, missing, headers = {} }: ConsoleHandlerParts): Handler =>
  ({ ctx, match }) => {
    const file = find(match.params[0] ?? '')
    if (file) return consoleFileResponse(ctx, file, 200, headers)
    const page = missing?.(ctx)
    if (page) return page
    throw new ApiError('not_found', 'There is nothing at this path.')
  }

/** The response with a file, in an encoding that the client accepts. */
export const consoleFileResponse = async (
  ctx: RequestContext,
  file: ConsoleFile,
  status: number,
  headers: ResponseHeaders = {},
): Promise<PlainResponse> => {
  const accepted = file.isCompressed ? ctx.headers.acceptEncoding : undefined
  const encoding = chooseEncoding(accepted, file.sizeBytes)
  return {
    status,
    headers: { ...file.headers, ...headers, ...(encoding && { 'content-encoding': encoding }) },
    content: await file.read(encoding),
  }
}

/** The console as a 404: its script says that there is no such page, and leads on. */
export const missingPageOf =
  ({ page }: Pick<Console, 'page'>): MissingPage =>
  (ctx) => {
    if (ctx.method !== 'GET' || /^\/api(\/|\?|$)/.test(ctx.url)) return null
    if (!acceptsPages(ctx.request.headers.accept ?? '')) return null
    ctx.errorCode = 'not_found'
    return consoleFileResponse(ctx, page(), 404, { vary: 'Accept, Accept-Encoding' })
  }

/** Browsers name the type of pages; other clients name JSON, any type or none. */
const acceptsPages = (accept: string): boolean =>
  accept
    .split(',')
    .some((each) => /^\s*text\/html\s*(;|$)/i.test(each) && !/;\s*q=0(\.0*)?\s*$/i.test(each))
