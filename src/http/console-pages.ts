import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assetsPath, type Console, type ConsoleFile, referencePath } from '#console'
import { ApiError } from '#contract'
import { chooseEncoding } from './compress.ts'
import { visitOf } from './visit.ts'

/** Serves the console's pages and their files, compressed as they were built: no key needed. */
export const registerConsole = (app: FastifyInstance, built: Console | null): void => {
  if (!built) return
  const serve = (path: string, operation: string, find: (name: string) => ConsoleFile) =>
    app.get<{ Params: { name?: string } }>(path, async (request, reply) => {
      // The router takes an asterisk for the root.
      if (!request.url.startsWith('/')) throw nothingThere()
      visitOf(request.raw).operation = operation
      return writeFile(request, reply, find(request.params.name ?? ''))
    })
  for (const path of built.pagePaths) serve(path, 'console', built.page)
  serve(referencePath, 'reference', built.reference)
  serve(`${assetsPath}/:name`, 'consoleFile', (name) => {
    const file = built.asset(name)
    if (!file) throw nothingThere()
    return file
  })
}

const nothingThere = () => new ApiError('not_found', 'There is nothing at this path.')

/** Every path that is served, for those who ask with another method. */
export const consolePaths = (built: Console | null): readonly RegExp[] =>
  built
    ? [...built.pagePaths, referencePath, `${assetsPath}/:name`].map(
        (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
      )
    : []

const writeFile = async (
  request: FastifyRequest,
  reply: FastifyReply,
  file: ConsoleFile,
): Promise<FastifyReply> => {
  const encoding = chooseEncoding(request.headers['accept-encoding'], file.sizeBytes)
  return reply
    .headers({
      ...visitOf(request.raw).headers,
      ...file.headers,
      ...(encoding && { 'content-encoding': encoding }),
    })
    .send(await file.read(encoding))
}
