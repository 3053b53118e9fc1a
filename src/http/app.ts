import type { Server } from 'node:http'
import type { Console } from '#console'
import {
  ApiError,
  basePath,
  type Endpoint,
  feedBasePath,
  ingestBasePath,
  type Operation,
  queryBasePath,
} from '#contract'
import { createCursors, createFeedCursors, createQueryCursors, createWriteTokens } from '#cursors'
import type { Images } from '#images'
import type { SourceReader } from '#intake'
import { type AuthorizationServer, documentPaths } from '#oauth'
import type { Slots } from '#rate-limit'
import { wrongPath } from '#request'
import { createAfterWrite } from './after-write.ts'
import { createAgentAuthentication } from './agent-authentication.ts'
import type { KeyedHandler } from './handler.ts'
import { brandHandler } from './handlers/brand.ts'
import { changesHandler } from './handlers/changes.ts'
import { consentHandlers } from './handlers/consent.ts'
import { consoleHandler, missingPageOf } from './handlers/console-file.ts'
import { documentHandler } from './handlers/document.ts'
import { createDownloadEntry, type DownloadLimits, downloadHandler } from './handlers/download.ts'
import { downloadLinkRoute, type FindLink } from './handlers/download-link.ts'
import { getHandler } from './handlers/get.ts'
import {
  type BackupSummary,
  healthHandler,
  readyHandler,
  type SourceSummary,
} from './handlers/health.ts'
import { imageFileHandler } from './handlers/image-file.ts'
import { imageLinkHandler } from './handlers/image-link.ts'
import { listHandler } from './handlers/list.ts'
import { checkOrigin, mcpHandler } from './handlers/mcp.ts'
import {
  metadataHandler,
  type OAuthParts,
  registrationHandler,
  revocationHandler,
  tokenHandler,
} from './handlers/oauth.ts'
import { calendarHandler } from './handlers/query-calendar.ts'
import { queryDocumentHandler } from './handlers/query-document.ts'
import { queryGridHandler } from './handlers/query-grid.ts'
import { lineageHandler } from './handlers/query-lineage.ts'
import { queryListHandler } from './handlers/query-list.ts'
import { qualityHandler } from './handlers/query-quality.ts'
import { queryScorecardsHandler } from './handlers/query-scorecards.ts'
import { querySearchHandler } from './handlers/query-search.ts'
import { sourceHandlers } from './handlers/query-sources.ts'
import { querySummaryHandler } from './handlers/query-summary.ts'
import { todayHandler } from './handlers/query-today.ts'
import { trendHandler } from './handlers/query-trend.ts'
import { publishedViewsHandler } from './handlers/query-views.ts'
import { whoamiHandler } from './handlers/whoami.ts'
import { createEtags } from './response.ts'
import { createRoutedServer, type RoutedServerParts, type ServerShared } from './routed-server.ts'
import { createdOnRequest, createRoutes, type OAuthHandlers, type Route } from './router.ts'

/** Everything the public HTTP server needs. */
export interface AppParts extends Omit<RoutedServerParts, 'afterWrite'> {
  readonly images: Images
  /** Null if it has not been built. */
  readonly console: Console | null
  /** The database's secret, for cursors, tokens and tags. */
  readonly secret: string
  /** Part of every tag, because another release may write other bytes. */
  readonly release: string
  readonly openApi: Buffer
  readonly queryOpenApi: Buffer
  readonly guide: Buffer
  /** OpenAPI document of the change feed; null if the feed is off. */
  readonly feedOpenApi: Buffer | null
  /** OpenAPI document of the ingest API; null if it is off. */
  readonly ingestOpenApi: Buffer | null
  /** Reads the sources and units of one brand at a time. */
  readonly sourceReader: Pick<SourceReader, 'list' | 'ended'>
  /** The state of the record sources; null if there are none. */
  readonly sources: () => Promise<SourceSummary | null>
  /** The last backup; null if there was none. */
  readonly backup: () => Promise<BackupSummary | null>
  /** Problems for an operator to fix although requests are served. */
  readonly warnings: () => readonly string[]
  /** Whether agents are served. */
  readonly mcp: boolean
  /** Issues tokens to agents; null if agents need keys. */
  readonly authorizationServer: AuthorizationServer | null
  /** The address at which clients reach this server. */
  readonly ownUrl: () => string
  /** The configured address, if any. */
  readonly publicUrl: string | null
  readonly downloadLimits: DownloadLimits
  readonly downloadSlots: Slots
  readonly findLink: FindLink
}

export const createApp = (parts: AppParts): Server => {
  const writeTokens = createWriteTokens(parts.secret)
  const afterWrite = createAfterWrite({ store: parts.store, writeTokens })
  return createRoutedServer({ ...parts, afterWrite }, (shared) => ({
    routes: routesOf(parts, shared),
    notFound: wrongPath(parts.store.catalog),
    missingPage: parts.console && missingPageOf(parts.console),
  }))
}

const routesOf = (parts: AppParts, served: ServerShared): readonly Route[] => {
  const { store, images, console: site, metrics, secret, authorizationServer } = parts
  const authenticateAgent = createAgentAuthentication({ ...parts, ...served })
  const shared = {
    ...parts,
    ...served,
    cursors: createCursors(secret),
    queryCursors: createQueryCursors(secret),
    etags: createEtags(secret, parts.release),
  }
  const downloadParts = {
    ...shared,
    enterDownload: createDownloadEntry(parts.downloadSlots, parts.downloadLimits.slots),
    onCut: metrics.connectionCut,
  }
  const operationHandlers: Record<Endpoint, (operation: Operation) => KeyedHandler> = {
    list: ({ resource }) => listHandler(shared, resource),
    get: ({ resource }) => getHandler(shared, resource),
    content: ({ resource }) => imageLinkHandler(shared, resource),
  }
  return createRoutes(store.catalog, {
    operation: (operation) =>
      createdOnRequest(() =>
        operation.resource.lookup
          ? brandHandler(shared, operation.resource)
          : operationHandlers[operation.endpoint](operation),
      ),
    openApi: documentHandler(parts.openApi),
    queryOpenApi: documentHandler(parts.queryOpenApi),
    queryList: (resource) => createdOnRequest(() => queryListHandler(shared, resource)),
    querySummary: (resource) => createdOnRequest(() => querySummaryHandler(shared, resource)),
    queryToday: todayHandler(shared),
    queryTrend: trendHandler(shared),
    queryCalendar: calendarHandler(shared),
    queryDocument: (resource) => createdOnRequest(() => queryDocumentHandler(shared, resource)),
    queryScorecards: (resource) => createdOnRequest(() => queryScorecardsHandler(shared, resource)),
    queryGrid: (resource) => createdOnRequest(() => queryGridHandler(shared, resource)),
    queryLineage: (resource) => createdOnRequest(() => lineageHandler(shared, resource)),
    queryQuality: qualityHandler(shared),
    queryViews: publishedViewsHandler(shared),
    querySources: sourceHandlers(shared),
    querySearch: querySearchHandler(shared),
    download: (resource) => createdOnRequest(() => downloadHandler(downloadParts, resource)),
    downloadLink: downloadLinkRoute({
      ...shared,
      catalog: store.catalog,
      download: (resource) => downloadHandler(downloadParts, resource),
    }),
    feed: parts.feedOpenApi && {
      changes: changesHandler({ ...shared, cursors: createFeedCursors(secret) }),
      openApi: documentHandler(parts.feedOpenApi),
    },
    ingestOpenApi: parts.ingestOpenApi && documentHandler(parts.ingestOpenApi),
    whoami: whoamiHandler(store),
    mcp: parts.mcp
      ? {
          precheck: (ctx) => checkOrigin(parts, ctx),
          authenticate: ({ ctx }) => authenticateAgent(ctx),
          handler: mcpHandler({ ...shared, authenticateAgent }),
        }
      : null,
    oauth: authorizationServer && oauthHandlers({ ...shared, authorizationServer }),
    health: healthHandler,
    ready: readyHandler({
      checkReady: () => checkReady(parts),
      warnings: parts.warnings,
      sources: parts.sources,
      backup: parts.backup,
    }),
    guide: documentHandler(parts.guide, 'text/plain; charset=utf-8'),
    imageFile: images.open ? imageFileHandler({ ...shared, open: images.open }) : null,
    console: site && {
      pagePaths: site.pagePaths,
      page: consoleHandler({ find: site.page }),
      reference: consoleHandler({ find: site.reference, headers: { link: documentLinks(parts) } }),
      guides: consoleHandler({ find: site.guide, missing: missingPageOf(site) }),
      asset: consoleHandler({ find: site.asset }),
    },
  })
}

/** The OpenAPI documents of this server, from which the reference page learns which it has. */
const documentLinks = ({ feedOpenApi, ingestOpenApi }: AppParts): string =>
  [basePath, queryBasePath, feedOpenApi && feedBasePath, ingestOpenApi && ingestBasePath]
    .filter((base) => base !== null)
    .map((base) => `<${base}/openapi.json>; rel="service-desc"`)
    .join(', ')

const oauthHandlers = (
  parts: OAuthParts & Pick<AppParts, 'store' | 'publicUrl'>,
): OAuthHandlers => {
  const { authorizationServer } = parts
  const { show, decide } = consentHandlers(parts)
  const { resource, issuer } = documentPaths(parts.publicUrl)
  return {
    resourcePaths: resource,
    resource: metadataHandler(authorizationServer, 'resource'),
    issuerPaths: issuer,
    issuer: metadataHandler(authorizationServer, 'issuer'),
    showConsent: show,
    decideConsent: decide,
    token: tokenHandler(parts),
    register: registrationHandler(parts),
    revoke: revocationHandler(parts),
  }
}

/** Throws if the server should get no requests. */
const checkReady = async ({ draining, keyVerifier, store }: AppParts): Promise<void> => {
  if (draining()) throw new ApiError('not_ready', 'The server is stopping.')
  if (keyVerifier.isStale) throw new ApiError('not_ready', 'Keys cannot be read.')
  await store.has('')
}
