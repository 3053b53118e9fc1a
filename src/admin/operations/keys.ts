import type { OperatorIssuedKey, OperatorKeyLimits } from '#contract'
import {
  describeKeys,
  issueKey,
  listKeys,
  OperatorError,
  readDuration,
  revokeKey,
  rotateKey,
  type ShownKey,
  updateKey,
} from '#operator'
import {
  choice,
  type Field,
  flag,
  listOf,
  nullable,
  optional,
  readFields,
  text,
} from '../fields.ts'
import { type Operation, type OperationParts, operation } from '../operation.ts'

const names = listOf(text(200), 2_000)

/** A number, which `issueKey` and `updateKey` check. */
const number: Field<number> = (value) => (typeof value === 'number' ? value : Number.NaN)

const limits = {
  onlyGroups: optional(nullable(names)),
  withoutGroups: optional(nullable(names)),
  addresses: optional(nullable(names)),
  collections: optional(nullable(names)),
  expires: optional(nullable(text(100))),
  perSecond: optional(nullable(number)),
  burst: optional(nullable(number)),
}

/** Empty names are allowed: what a key is for need not be said. */
const keyName: Field<string> = (value) => (value === '' ? '' : text(200)(value))

/** Fields without those that are missing: a missing one is not the same as one of undefined. */
const presentFields = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof T]?: Exclude<T[Name], undefined>
  }

export const keyOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/keys',
    read: ({ query }) =>
      readFields(query, { brand: optional(text(500)), cursor: optional(text(2_000)) }),
    run: (parts, input) => listKeys(parts, input),
  }),
  operation({
    method: 'POST',
    path: '/keys',
    read: ({ body }) =>
      presentFields(
        readFields(body, {
          ...limits,
          name: optional(keyName),
          kind: optional(choice('read', 'ingest')),
          brands: optional(names),
          global: optional(flag),
          webhook: optional(flag),
        }),
      ),
    run: async (parts, input) => shownKey(parts, await issueKey(parts, input)),
  }),
  operation({
    method: 'PATCH',
    path: '/keys/{id}',
    read: ({ params, body }) => ({
      id: String(params['id']),
      changes: presentFields(
        readFields(body, {
          ...limits,
          name: optional(keyName),
          brands: optional(names),
          global: optional(flag),
        }),
      ) as OperatorKeyLimits,
    }),
    run: async (parts, { id, changes }) => {
      if (Object.keys(changes).length === 0) {
        throw new OperatorError('usage', 'Say what to change.')
      }
      const [key] = await describeKeys(parts, [await updateKey(parts, id, changes)])
      return key
    },
  }),
  operation({
    method: 'POST',
    path: '/keys/{id}/rotate',
    read: ({ params, body }) => ({
      id: String(params['id']),
      ...readFields(body, { overlap: optional(text(20)) }),
    }),
    run: async (parts, { id, overlap = '7d' }): Promise<OperatorIssuedKey> => {
      const { issued, old } = await rotateKey(parts, id, readDuration(overlap))
      const replaces = { id, expiresAt: old.expiresAt }
      return { ...(await shownKey(parts, issued)), replaces }
    },
  }),
  operation({
    method: 'POST',
    path: '/keys/{id}/revoke',
    read: ({ params, body }) => ({ id: String(params['id']), ...readFields(body, {}) }),
    run: async (parts, { id }) => {
      const [key] = await describeKeys(parts, [await revokeKey(parts, id)])
      return key
    },
  }),
]

const shownKey = async (parts: OperationParts, issued: ShownKey): Promise<OperatorIssuedKey> => {
  const [described] = await describeKeys(parts, [issued])
  return { ...described, ...issued } as OperatorIssuedKey
}
