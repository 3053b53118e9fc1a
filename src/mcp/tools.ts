import { catalog } from '#contract'
import { followReferences } from './follow.ts'
import { describeGroup, listGroups } from './groups.ts'
import { getRecord, listRecords } from './records.ts'
import type { Tool } from './tool.ts'
import { traceLineage } from './trace.ts'

/** Every tool. They read, and there is nothing here that writes. */
export const tools: readonly Tool[] = [
  listGroups,
  describeGroup,
  listRecords,
  getRecord,
  followReferences,
  traceLineage,
]

/** What an agent is told before it begins. */
export const instructions = [
  `Selvedge serves a fashion brand's supply-chain records, read-only: ${catalog.resources.length} groups, from products over orders, production, shipments and receipts to invoices and payments.`,
  'Begin with list_groups, then describe_group for the fields and filters of one. list_records finds records; filters compare exactly. get_record shows one. follow_references goes from a record to what it points to and to what points at it. trace_lineage walks the whole chain from product to payment.',
  'Records are known by id, a UUID; people know them by a number or name: find those with a filter, such as list_records {"group": "orders", "filters": {"orderNumber": "PO-5512"}}.',
  'Every result begins with a summary: the exact total, what was cut, and the call that gets the rest; next has that call as data. Results are kept under 24,000 characters: ask for fewer fields rather than for many pages.',
  'Amounts are decimal strings; timestamps are UTC. Removed records are shown with deletedAt set.',
].join('\n')
