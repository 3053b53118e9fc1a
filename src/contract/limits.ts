/** The limits and patterns of the specification. */

export const contractVersion = '1.3.0'
export const basePath = '/api/public/v1'

export const limits = {
  pageSize: { minimum: 1, maximum: 100, default: 25 },
  stringFilter: { minLength: 1, maxLength: 255 },
  integerFilter: { minimum: 0, maximum: 2_147_483_647, maxLength: 10 },
  /** Maximum length of a cursor that is parsed. Issued cursors are much shorter. */
  cursor: { maxLength: 8_192 },
  /** Maximum number of query parameters in a request, and of problems in a response. */
  parameters: 100,
  problems: 50,
  /** Maximum size of a record as JSON in UTF-8. It limits the size of a page. */
  record: { maxBytes: 256 * 1_024 },
  /**
   * Maximum size of a JSON response in bytes. A page of 100 records of 256 KiB fits. A page with
   * includes, or with records from an older release, may exceed it. Such a request is rejected with
   * advice to use a smaller `limit`.
   */
  pageBytes: 33_554_432,
  /** Responses up to this size do not count against the memory for large responses. */
  unreservedBytes: 1_048_576,
  /**
   * Bounds of the values of incoming records, within which every engine stores, sorts, filters and
   * sums them. Records of an earlier release may exceed them.
   */
  bounds: {
    /** Characters of a text that identifies a record: as many as its filter takes. */
    identityCharacters: 255,
    /** Characters of a text that lists can be filtered or sorted by. */
    indexedCharacters: 1_000,
    /** Bytes of any other text in UTF-8. */
    textBytes: 65_536,
    /** Digits of an amount before the point, and as many after it. */
    amountDigits: 38,
    /** Characters of the longest amount: its digits, the sign and the point. */
    amountCharacters: 78,
  },
  /** JSON integers are exact up to this value. */
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
