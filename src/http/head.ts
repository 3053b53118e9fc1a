/** What is looked at in the head of every request, found in one pass. */
export interface Head {
  readonly hosts: number
  readonly authorizations: number
  readonly authorization: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
  readonly requestId: string | undefined
  readonly origin: string | undefined
  /** Whether a body may follow. */
  readonly hasBody: boolean
}

type Mutable = { -readonly [Name in keyof Head]: Head[Name] }

/** How a header of that name is noted; of those given twice, as Node joins them. */
const noted: { readonly [name: string]: (head: Mutable, value: string) => void } = {
  host: (head) => {
    head.hosts += 1
  },
  authorization: (head, value) => {
    head.authorizations += 1
    head.authorization ??= value
  },
  'if-none-match': (head, value) => {
    head.ifNoneMatch = joined(head.ifNoneMatch, value)
  },
  'accept-encoding': (head, value) => {
    head.acceptEncoding = joined(head.acceptEncoding, value)
  },
  'x-request-id': (head, value) => {
    head.requestId = joined(head.requestId, value)
  },
  origin: (head, value) => {
    head.origin = joined(head.origin, value)
  },
  'content-length': (head) => {
    head.hasBody = true
  },
  'transfer-encoding': (head) => {
    head.hasBody = true
  },
}

const names = new Map(Object.entries(noted))
const lengths = new Set([...names.keys()].map(({ length }) => length))

/** Node's own object of all headers costs more than the rest of a remembered answer. */
export const readHead = (rawHeaders: readonly string[]): Head => {
  const head: Mutable = {
    hosts: 0,
    authorizations: 0,
    authorization: undefined,
    ifNoneMatch: undefined,
    acceptEncoding: undefined,
    requestId: undefined,
    origin: undefined,
    hasBody: false,
  }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (lengths.has(name.length)) names.get(name.toLowerCase())?.(head, rawHeaders[index + 1] ?? '')
  }
  return head
}

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`
