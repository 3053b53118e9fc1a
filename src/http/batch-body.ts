import { ApiError } from '#contract'
import { type BatchRequest, openBodyPacker } from '#intake'
import { type BatchParameters, batchParameters } from '#request'
import { type BodyScan, scanLines, scanValues } from './body-scan.ts'
import type { OperationRequest } from './handler.ts'
import type { BodyOptions, ReceivedBody, RequestBodies } from './request-body.ts'

/** A received batch: its parameters, and its body as lines of JSON. */
export interface ReceivedBatch
  extends BatchParameters,
    Pick<BatchRequest, 'form' | 'body'>,
    ReceivedBody {}

export interface ReceiveOptions extends Omit<BodyOptions, 'scan' | 'openPacker'> {
  readonly bodies: RequestBodies
}

/** Media types of JSON lines. */
const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']
const jsonType = 'application/json'

/** Receives the body of a request, after checking the rest of the request. */
export const receiveBatch = async (
  { ctx, match }: OperationRequest,
  { bodies, ...options }: ReceiveOptions,
): Promise<ReceivedBatch> => {
  const parameters = batchParameters(match.query)
  const { form, scan } = formOf(ctx.request.headers['content-type'], parameters)
  if (parameters.results && form !== 'items') {
    const message =
      'results=items is for items of the change feed: leave it out for rows and events.'
    throw new ApiError('invalid_parameter', message)
  }
  const [brand = ''] = match.params
  const openPacker = (onDrain: () => void) =>
    openBodyPacker({ ...parameters, brand, form }, onDrain)
  const received = await bodies.read(ctx, { ...options, scan, openPacker })
  return { ...parameters, form, ...received }
}

const formOf = (
  contentType: string | undefined,
  { map }: BatchParameters,
): { readonly form: BatchRequest['form']; readonly scan: BodyScan } => {
  const [type = ''] = (contentType ?? '').split(';')
  const name = type.trim().toLowerCase()
  if (lineTypes.includes(name)) {
    return { form: map === null ? 'items' : 'rows', scan: scanLines() }
  }
  if (name === jsonType) return { form: 'debezium', scan: scanValues() }
  throw new ApiError(
    'unsupported_media_type',
    `The Content-Type must be ${lineTypes[0]} for items or rows, one on each line, or ${jsonType} for events of Debezium.`,
  )
}
