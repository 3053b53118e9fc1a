import { useState } from 'react'
import type {
  OperatorKey,
  OperatorKeyLimits,
  OperatorKeyUpdate,
} from '../../../../src/contract/index.ts'

/** What the form of a key has, before it is sent. */
export interface KeyForm {
  readonly name: string
  readonly kind: 'read' | 'ingest'
  readonly isGlobal: boolean
  readonly brands: readonly string[]
  readonly groupLimit: 'all' | 'only' | 'without'
  readonly groups: readonly string[]
  /** Collections that an ingest key can send; empty for all. */
  readonly collections: readonly string[]
  readonly hasWebhook: boolean
  /** Separated by commas, spaces or lines. */
  readonly addresses: string
  readonly expiry: 'unchanged' | '30d' | '90d' | '365d' | 'day' | 'never'
  /** The last day, for `day`. */
  readonly lastDay: string
  readonly perSecond: string
  readonly burst: string
}

export const newForm: KeyForm = {
  ...{ name: '', kind: 'read', isGlobal: false, brands: [], groupLimit: 'all', groups: [] },
  ...{ collections: [], hasWebhook: false, addresses: '', expiry: '90d', lastDay: '' },
  ...{ perSecond: '', burst: '' },
}

/** The form of an existing key. */
export const formOf = (key: OperatorKey): KeyForm => ({
  ...{ name: key.name, kind: key.kind, isGlobal: key.global, brands: key.brands },
  groupLimit: key.onlyGroups ? 'only' : key.withoutGroups ? 'without' : 'all',
  groups: key.onlyGroups ?? key.withoutGroups ?? [],
  ...{ collections: key.collections ?? [], hasWebhook: key.webhook },
  addresses: (key.addresses ?? []).join('\n'),
  ...{ expiry: 'unchanged', lastDay: '' },
  ...{ perSecond: key.perSecond?.toString() ?? '', burst: key.burst?.toString() ?? '' },
})

export const useKeyForm = (initial: KeyForm) => {
  const [form, setForm] = useState(initial)
  return { form, set: (changes: Partial<KeyForm>) => setForm({ ...form, ...changes }) }
}

/** Whether the form can be sent. The server checks the rest. */
export const isComplete = (form: KeyForm): boolean =>
  (form.isGlobal || form.brands.length > 0) &&
  (form.kind === 'ingest' || form.groupLimit === 'all' || form.groups.length > 0) &&
  (form.expiry !== 'day' || form.lastDay !== '')

/** The limits of the form; null for none. */
export const limitsOf = (form: KeyForm): OperatorKeyLimits => {
  const { kind, groupLimit, groups, collections } = form
  const addresses = form.addresses.split(/[\s,;]+/).filter((each) => each !== '')
  return {
    onlyGroups: kind === 'read' && groupLimit === 'only' ? groups : null,
    withoutGroups: kind === 'read' && groupLimit === 'without' ? groups : null,
    collections: kind === 'ingest' && collections.length > 0 ? collections : null,
    addresses: addresses.length > 0 ? addresses : null,
    perSecond: numberOf(form.perSecond),
    burst: numberOf(form.burst),
    ...expiryOf(form),
  }
}

/**
 * What the form changes of a key. Leaves out what stays: another operator may have changed it, and
 * the form shows one list of groups. If a key has both, the groups that it cannot read stay.
 */
export const changesOf = (key: OperatorKey, form: KeyForm): OperatorKeyUpdate => {
  const before = formOf(key)
  const { onlyGroups, withoutGroups } = key
  const stored = { ...limitsOf(before), onlyGroups, withoutGroups }
  const staysExcluded = onlyGroups !== null && form.groupLimit === 'only'
  const current = staysExcluded ? { ...stored, withoutGroups: null } : stored
  return {
    ...differing(limitsOf(form), current),
    name: form.name.trim(),
    ...differing(ownersOf(form), ownersOf(before)),
  }
}

const ownersOf = ({ isGlobal, brands }: KeyForm): Pick<OperatorKeyUpdate, 'brands' | 'global'> =>
  isGlobal ? { global: true } : { brands }

/** The values that another object has not, or has otherwise. */
const differing = <T extends object>(values: T, others: { readonly [name: string]: unknown }) =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(others[name]),
    ),
  ) as Partial<T>

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

const expiryOf = ({ expiry, lastDay }: KeyForm): Pick<OperatorKeyLimits, 'expires'> => {
  if (expiry === 'unchanged') return {}
  if (expiry === 'never') return { expires: null }
  // The end of the day in the operator's time zone.
  return { expires: expiry === 'day' ? new Date(`${lastDay}T23:59:59`).toISOString() : expiry }
}
