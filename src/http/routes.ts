import { assetsPath, referencePath } from '#console'
import {
  basePath,
  type Catalog,
  feedBasePath,
  feedOperation,
  feedPath,
  type Operation,
  operationsOf,
} from '#contract'
import { imageFilesPath } from '#images'
import type { Handler, KeyedHandler } from './handlers/handler.ts'
import type { KeyedRoute, Route } from './router.ts'

/** The handlers of the route table; null where the server does not have that part. */
export interface RouteHandlers {
  readonly operation: (operation: Operation) => KeyedHandler
  readonly openApi: Handler
  readonly feed: { readonly changes: KeyedHandler; readonly openApi: Handler } | null
  readonly whoami: KeyedHandler
  readonly mcp: Pick<KeyedRoute, 'precheck' | 'handler'> | null
  readonly health: Handler
  readonly ready: Handler
  readonly guide: Handler
  readonly imageFile: Handler | null
  readonly console: {
    readonly pagePaths: readonly string[]
    readonly page: Handler
    readonly reference: Handler
    readonly asset: Handler
  } | null
}

export const healthPath = '/healthz'

/** The route table: every path of the server. */
export const createRoutes = (catalog: Catalog, handlers: RouteHandlers): readonly Route[] => {
  const { feed, mcp, imageFile, console: site } = handlers
  const get = { method: 'GET' } as const
  const open = { method: 'GET', auth: 'none' } as const
  const table: readonly (Route | false | null)[] = [
    ...operationsOf(catalog).map((operation): Route => {
      const path = basePath + operation.path
      const handler = handlers.operation(operation)
      return { ...get, path, operation: operation.id, auth: 'brand', handler }
    }),
    {
      ...open,
      path: `${basePath}/openapi.json`,
      operation: 'openapi',
      handler: handlers.openApi,
    },
    feed && {
      ...get,
      path: feedBasePath + feedPath,
      operation: feedOperation,
      auth: 'brand',
      handler: feed.changes,
    },
    feed && {
      ...open,
      path: `${feedBasePath}/openapi.json`,
      operation: 'openapi',
      handler: feed.openApi,
    },
    { ...get, path: '/whoami', operation: 'whoami', auth: 'any', handler: handlers.whoami },
    mcp && { method: 'POST', path: '/mcp', operation: 'mcp', auth: 'any', ...mcp },
    { ...open, path: healthPath, operation: 'health', handler: handlers.health },
    { ...open, path: '/readyz', operation: 'ready', handler: handlers.ready },
    { ...open, path: '/llms.txt', operation: 'llms', handler: handlers.guide },
    imageFile && {
      ...open,
      path: `${imageFilesPath}/*`,
      operation: 'imageFile',
      handler: imageFile,
    },
    ...(site?.pagePaths ?? []).map(
      (path) => site && { ...open, path, operation: 'console', handler: site.page },
    ),
    site && {
      ...open,
      path: referencePath,
      operation: 'reference',
      handler: site.reference,
    },
    site && {
      ...open,
      path: `${assetsPath}/{name}`,
      operation: 'consoleFile',
      handler: site.asset,
    },
  ]
  return table.filter((route) => route !== null && route !== false)
}
