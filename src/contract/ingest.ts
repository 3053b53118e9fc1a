/** Constants of the ingest API, which has its own port and version. */

export const ingestVersion = '1.0.0'
export const ingestBasePath = '/api/ingest/v1'
export const batchesPath = '/brands/{brand}/batches'
export const batchPath = `${batchesPath}/{id}`
export const sendOperation = 'sendBatch'
export const batchOperation = 'getBatch'

export const ingestLimits = {
  /** Items per batch. */
  items: 100_000,
  /** Nesting depth of a body. */
  depth: 64,
  /** Maximum time that a response waits for its batch to finish, on request. */
  waitSeconds: 60,
  /** Maximum length of an Idempotency-Key. */
  idempotencyKey: 255,
  /** Maximum difference between the time of a signed message and the server's clock. */
  signatureSeconds: 300,
} as const

export const mapNamePattern = '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$'
export const batchIdPattern = '^[0-9A-Za-z_-]{1,64}$'
