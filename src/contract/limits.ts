/** Each number and pattern of the specification, once. */

export const contractVersion = '1.3.0'
export const basePath = '/api/public/v1'

export const limits = {
  pageSize: { minimum: 1, maximum: 100, default: 25 },
  stringFilter: { minLength: 1, maxLength: 255 },
  integerFilter: { minimum: 0, maximum: 2_147_483_647, maxLength: 10 },
  /** Longest cursor that is looked at; ours are far shorter. */
  cursor: { maxLength: 8_192 },
  /** Query parameters in one request, and problems listed in one answer. */
  parameters: 100,
  problems: 50,
  /** A record as the JSON that is stored and sent, in UTF-8. It bounds the bytes of a page. */
  record: { maxBytes: 256 * 1_024 },
  /**
   * Bytes of JSON in one response. A page of 100 records of 256 KiB fits; one with includes, or with
   * records that an older release took in, may not, and is refused with a smaller `limit` to use.
   */
  pageBytes: 33_554_432,
  /** Responses up to this size take no share of the memory that is set aside for large ones. */
  unreservedBytes: 1_048_576,
  /** JSON integers are exact within this bound. */
  integer: { minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 },
} as const

const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

export const patterns = {
  id: uuid,
  country: '^[A-Z]{2}$',
  pageSize: '^(100|[1-9][0-9]?)$',
  integerFilter: '^(0|[1-9]\\d*)$',
  amount: '^-?(0|[1-9]\\d*)(\\.\\d+)?$',
  date: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$',
  timestamp:
    '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
  brand: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  cursor: '^[A-Za-z0-9_-]+$',
} as const
