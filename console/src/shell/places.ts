import type { Api } from '../api.ts'
import { type Domain, type Group, groupAt, groupsOf } from '../contract.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'

/** The groups for daily work, in the order of the work. */
const workPaths = ['orders', 'shipments', 'inventory', 'invoices', 'suppliers', 'parent-products']

export const workGroups: readonly Group[] = workPaths.flatMap((path) => groupAt(path) ?? [])

/** The everyday name of a group. */
export const workTitle = (group: Group): string =>
  group.path === 'parent-products' ? texts().shell.products : groupTitle(group)

/** Whether a group only connects records of others, which identify its records. */
export const isConnection = ({ key, fields }: Group): boolean => {
  const own = fields.filter(({ name }) => !bookkeeping.has(name))
  return key.length > 1 || own.every(({ to }) => to !== null)
}

const bookkeeping = new Set(['id', 'createdAt', 'updatedAt', 'deletedAt'])

/**
 * The groups of a domain that can be read, split into groups of independent records and connections.
 */
export const groupsByKind = (
  domain: Domain,
  { canRead }: Pick<Api, 'canRead'>,
): { records: readonly Group[]; connections: readonly Group[] } => {
  const readable = groupsOf(domain).filter(({ path }) => canRead(path))
  return {
    records: readable.filter((group) => !isConnection(group)),
    connections: readable.filter(isConnection),
  }
}
