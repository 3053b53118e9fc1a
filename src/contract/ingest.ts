/** Constants of the ingest API, which receives records on a port of its own and has its own version. */

export const ingestVersion = '1.0.0'
export const ingestBasePath = '/api/ingest/v1'
export const batchesPath = '/brands/{brand}/batches'
export const batchPath = `${batchesPath}/{id}`
export const sendOperation = 'sendBatch'
export const batchOperation = 'getBatch'

export const ingestLimits = {
  /** Items of a batch. */
  items: 100_000,
  /** Objects and arrays of a body within each other. */
  depth: 64,
  /** For how long a response waits for a batch to be finished, if asked to. */
  waitSeconds: 60,
  /** Characters of an Idempotency-Key. */
  idempotencyKey: 255,
  /** By how much the time of a signed message may differ from the server's clock. */
  signatureSeconds: 300,
} as const

/** Names of mappings. */
export const mapNamePattern = '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$'
/** Ids of batches. */
export const batchIdPattern = '^[0-9A-Za-z_-]{1,64}$'
