import type { Server } from 'node:http'
import { ApiError, batchesPath, ingestBasePath } from '#contract'
import { createWriteTokens } from '#cursors'
import type { BatchQueue } from '#intake'
import { type BodyLimits, slotWaitMs } from './body-pool.ts'
import { batchHandler } from './handlers/batch-get.ts'
import { sendBatchHandler } from './handlers/batch-send.ts'
import { documentHandler } from './handlers/document.ts'
import { healthHandler, readyHandler } from './handlers/health.ts'
import { createRequestBodies } from './request-body.ts'
import { createRoutedServer, type RoutedServerParts } from './routed-server.ts'
import { createIngestRoutes } from './router.ts'
import { headersTimeoutMs } from './server.ts'
import { createSignedBatches } from './signed-batch.ts'

/** Everything the ingest server needs. */
export interface IngestAppParts
  extends Omit<
    RoutedServerParts,
    'changes' | 'cache' | 'afterWrite' | 'messageLimits' | 'corsOrigins'
  > {
  readonly queue: BatchQueue
  /** The database's secret, for tokens, and from which signing secrets are derived. */
  readonly secret: string
  readonly openApi: Buffer
  readonly bodyLimits: BodyLimits
  /** Calls a listener when the server starts to drain, until the returned function is called. */
  readonly onDraining: (listener: () => void) => () => void
  /** Problems for an operator to fix although requests are served. */
  readonly warnings: () => readonly string[]
}

/** Wires the ingest server. Its keys are of another kind than those that read. */
export const createIngestApp = (parts: IngestAppParts): Server => {
  const { queue, onDraining, keyVerifier, store, draining } = parts
  const bodies = createRequestBodies(parts.bodyLimits)
  const writeTokens = createWriteTokens(parts.secret)
  const served: RoutedServerParts = {
    ...parts,
    changes: null,
    cache: null,
    afterWrite: null,
    corsOrigins: [],
    outOfScope: 'The API key may not send records of this brand.',
    messageLimits: {
      // Longer than any body that is read: its own time begins with its slot.
      requestTimeoutMs: headersTimeoutMs + slotWaitMs + parts.bodyLimits.seconds * 1_000,
      continuesOnRead: true,
    },
  }
  const checkReady = async () => {
    if (draining()) throw new ApiError('not_ready', 'The server is stopping.')
    if (keyVerifier.isStale) throw new ApiError('not_ready', 'Keys cannot be read.')
    await store.has('')
  }
  return createRoutedServer(served, (shared) => {
    const signed = createSignedBatches({ ...parts, ...shared, bodies })
    const routes = createIngestRoutes({
      send: {
        authenticate: signed.authenticate,
        handler: sendBatchHandler({ queue, writeTokens, onDraining, bodies, signed }),
      },
      batch: batchHandler({ queue, writeTokens, onDraining }),
      openApi: documentHandler(parts.openApi),
      health: healthHandler,
      ready: readyHandler({
        checkReady,
        warnings: parts.warnings,
        sources: async () => null,
        backup: async () => null,
      }),
    })
    return { routes, notFound }
  })
}

const notFound = (): ApiError =>
  new ApiError(
    'not_found',
    `There is nothing at this path. Records are sent by POST to ${ingestBasePath}${batchesPath}.`,
  )
