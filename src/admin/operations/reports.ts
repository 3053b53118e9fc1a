import { auditActions } from '#audit'
import {
  describeUsage,
  listAudit,
  listFeedReaders,
  readFindings,
  readHead,
  readHealth,
  readStorage,
  readUsage,
  verifyAudit,
} from '#operator'
import { choice, optional, readFields, text } from '../fields.ts'
import { type Operation, operation } from '../operation.ts'

const short = optional(text(500))
const cursor = optional(text(2_000))

/** Items of usage in one response. */
const usageItemsMax = 5_000

const actionNames = Object.keys(auditActions) as (keyof typeof auditActions)[]

/** What is read of an installation, besides its brands, keys and intake. */
export const reportOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/checks',
    read: ({ query }) => readFields(query, { brand: text(500) }),
    run: (parts, { brand }) => readFindings(parts, brand),
  }),
  operation({
    method: 'GET',
    path: '/usage',
    read: ({ query }) =>
      readFields(query, { from: short, to: short, by: short, key: short, brand: short }),
    run: async (parts, { from, to, ...request }) => {
      const report = await readUsage(parts, { ...request, since: from, until: to })
      return describeUsage(report, usageItemsMax)
    },
  }),
  operation({
    method: 'GET',
    path: '/audit',
    read: ({ query }) =>
      readFields(query, {
        ...{ since: short, until: short, brand: short, cursor },
        action: optional(choice(...actionNames)),
      }),
    run: (parts, input) => listAudit(parts, input),
  }),
  operation({
    method: 'POST',
    path: '/audit/verify',
    read: ({ body }) => readFields(body, { expect: optional(text(200)) }),
    run: async (parts, { expect }) =>
      verifyAudit(parts, { expect: expect === undefined ? undefined : readHead(expect) }),
  }),
  operation({
    method: 'GET',
    path: '/feed',
    read: ({ query }) => readFields(query, { brand: short, cursor }),
    run: (parts, input) => listFeedReaders(parts, input),
  }),
  operation({
    method: 'GET',
    path: '/storage',
    read: ({ query }) => readFields(query, {}),
    run: (parts) => readStorage(parts),
  }),
  operation({
    method: 'GET',
    path: '/health',
    read: ({ query }) => readFields(query, {}),
    run: (parts) => {
      const { redisUrl, imagesUrl } = parts.config
      return readHealth({ ...parts, redisUrl, imagesUrl })
    },
  }),
]
