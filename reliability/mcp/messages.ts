import { randomBytes } from 'node:crypto'

/** A message that could keep a server busy: one body, or several sent at once. */
export interface HostileMessage {
  readonly name: string
  readonly bodies: readonly string[]
}

/** Start records of walks, by group. */
export interface Starts {
  readonly [group: string]: string
}

const bodyOf = (value: unknown): string => JSON.stringify(value)

const callOf = (name: string, values: object, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: values },
})

const names = (count: number, length = 12): readonly string[] =>
  Array.from({ length: count }, () =>
    randomBytes(length)
      .toString('hex')
      .slice(0, length)
      .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? 'z'),
  )

const asObject = (keys: readonly string[]): object =>
  Object.fromEntries(keys.map((key) => [key, 'x']))

/** The most expensive calls, in single messages and in the largest allowed batches. */
export const hostileMessages = (starts: Starts): readonly HostileMessage[] => {
  const trace = (group: string, id = 1) =>
    callOf('trace_lineage', { group, id: starts[group], limit: 100, depth: 20 }, id)
  const follow = (group: string, id = 1) =>
    callOf('follow_references', { group, id: starts[group], limit: 100 }, id)
  const ten = (make: (index: number) => object) =>
    bodyOf(Array.from({ length: 10 }, (_, index) => make(index)))
  const groups = Object.keys(starts)
  const at = (index: number): string => groups[index % groups.length] ?? 'orders'
  const one = (name: string, value: unknown): HostileMessage => ({ name, bodies: [bodyOf(value)] })
  const listing = (values: object) => callOf('list_records', { group: 'partners', ...values })
  return [
    one('4,000 unknown fields', listing({ fields: names(4_000) })),
    one('100 unknown fields', listing({ fields: names(100) })),
    one('100 unknown fields of 500 letters', listing({ fields: names(100, 500) })),
    one('4,000 unknown filters', listing({ filters: asObject(names(4_000)) })),
    one('100 unknown filters', listing({ filters: asObject(names(100)) })),
    one('4,000 unknown arguments', callOf('list_records', asObject(names(4_000)))),
    one('100 unknown arguments', callOf('list_records', asObject(names(100)))),
    one('4,000 includes', listing({ include: names(4_000) })),
    one('100 includes', listing({ include: names(100) })),
    {
      name: '10 × 100 unknown fields',
      bodies: [ten((id) => callOf('list_records', { group: 'partners', fields: names(100) }, id))],
    },
    one(
      'a group of 60,000 letters',
      callOf('describe_group', { group: 'orderitems'.repeat(6_000) }),
    ),
    one('a tool of 60,000 letters', callOf('x'.repeat(60_000), {})),
    one('a cursor of 60,000 letters', listing({ cursor: 'A'.repeat(60_000) })),
    one(
      'an id of 60,000 letters',
      callOf('get_record', { group: 'orders', id: '0'.repeat(60_000) }),
    ),
    {
      name: 'lists nested 30,000 times',
      bodies: [
        bodyOf(callOf('list_records', { group: 'orders', filters: 'NEST' })).replace(
          '"NEST"',
          `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
        ),
      ],
    },
    {
      name: 'objects nested 10,000 times',
      bodies: [
        bodyOf(callOf('list_records', { group: 'orders', fields: 'NEST' })).replace(
          '"NEST"',
          `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
        ),
      ],
    },
    { name: 'a message of 1 MB', bodies: [bodyOf(listing({ fields: names(70_000) }))] },
    { name: 'no JSON', bodies: ['{'.repeat(60_000)] },
    one(
      'a batch of 11',
      Array.from({ length: 11 }, (_, id) => trace(at(id), id)),
    ),
    {
      name: 'a batch of 10 lists of tools',
      bodies: [ten((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))],
    },
    { name: 'a batch of 10 lists of groups', bodies: [ten((id) => callOf('list_groups', {}, id))] },
    {
      name: 'a batch of 10 methods that are not there',
      bodies: [ten((id) => ({ jsonrpc: '2.0', id, method: 'resources/list' }))],
    },
    ...groups.map((group) => one(`a trace from ${group}`, trace(group))),
    ...groups.map((group) => one(`all that points at one of ${group}`, follow(group))),
    { name: 'a batch of 10 traces', bodies: [ten((id) => trace(at(id), id))] },
    {
      name: '10 batches of 10 traces at once',
      bodies: Array.from({ length: 10 }, () => ten((id) => trace(at(id), id))),
    },
    {
      name: 'a batch of 10 pages of 100 with includes',
      bodies: [
        ten((id) =>
          callOf(
            'list_records',
            { group: 'order-items', limit: 100, include: ['order', 'sku', 'productVersion'] },
            id,
          ),
        ),
      ],
    },
    {
      name: '50 pages of 100 at once',
      bodies: Array.from({ length: 50 }, () =>
        bodyOf(callOf('list_records', { group: 'order-items', limit: 100 })),
      ),
    },
  ]
}
