import { catalog } from '#contract'
import { amountsOwed } from './amounts-owed.ts'
import { containerContents } from './container-contents.ts'
import { getDocument } from './document.ts'
import { followReferences } from './follow.ts'
import { describeGroup, listGroups } from './groups.ts'
import { lateOrders } from './late-orders.ts'
import { locateOrder } from './locate-order.ts'
import { getRecord, listRecords } from './records.ts'
import { search } from './search.ts'
import { summarize } from './summarize.ts'
import { showToday } from './today.ts'
import type { Tool } from './tool.ts'
import { traceLineage } from './trace.ts'

/** Every tool. All of them are read-only. */
export const tools: readonly Tool[] = [
  listGroups,
  describeGroup,
  search,
  listRecords,
  summarize,
  showToday,
  lateOrders,
  amountsOwed,
  locateOrder,
  containerContents,
  getRecord,
  getDocument,
  followReferences,
  traceLineage,
]

/** The instructions that an agent gets when it connects. */
export const instructions = [
  `Selvedge serves a fashion brand's supply-chain records, read-only: ${catalog.resources.length} groups, from products, orders and production to shipments, receipts, invoices and payments.`,
  'Four questions have a tool of their own: late_orders (of a supplier), amounts_owed (to a supplier, for an order), locate_order (where an order is, by its number) and container_contents (by container number). For others start with list_groups, then call describe_group for the fields and filters of a group. list_records finds records by exact values, ranges, several values or a view such as late, in any order. summarize counts and adds up in one call; today has the figures of the day. get_record shows one record. get_document shows an order, shipment, invoice, payment, SKU, style or supplier with everything that belongs to it: lines, progress, lateness, shipments, invoices and payments. follow_references shows what a record refers to and what refers to it. trace_lineage walks the whole chain from product to payment.',
  'Records are identified by id, a UUID. People know them by a number or a name: search finds those in all groups, such as search {"query": "PO-5512"}.',
  'Every result starts with a summary: the exact total, what was truncated, and the call that gets the rest; next has that call as data. Results have at most 24,000 characters: request fewer fields rather than many pages.',
  'Amounts are decimal strings; timestamps are UTC. Deleted records are shown with deletedAt set.',
].join('\n')
