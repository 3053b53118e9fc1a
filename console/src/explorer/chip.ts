import type { Filters } from '../api.ts'
import { type Group, groupAt, shortId } from '../contract.ts'
import { amountText, countText, dayText, momentText } from '../figures.ts'
import { listText } from '../locale.ts'
import { fieldLabel, groupTitle, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { type FilterField, filterFieldsOf } from './filter-field.ts'
import { dayBefore, dayPresets, isRelativeDay, resolveDay } from './relative-day.ts'

/** A condition of a list, in words. */
export interface Chip {
  /** The parameters of the condition. Removing the chip removes them. */
  readonly names: readonly string[]
  readonly label: string
  readonly text: string
  /** The field whose editor changes the condition. */
  readonly field: FilterField | null
}

interface ChipContext {
  readonly group: Group
  /** Today in the time zone of the brand. */
  readonly today: string
  /** The name of a record, if it is loaded. */
  readonly nameOfRecord: (group: string, id: string) => string | null
}

/**
 * The parameters of a list as chips, in their order. Omits the sort order and known views with
 * their day, which the page shows elsewhere.
 */
export const chipsOf = (parameters: Filters, context: ChipContext): readonly Chip[] => {
  const fields = filterFieldsOf(context.group)
  const chips: Chip[] = []
  const done = new Set<string>()
  for (const [name, value] of Object.entries(parameters)) {
    if (done.has(name) || isShownElsewhere(name, parameters, context.group)) continue
    const field = fields.find((each) => isOf(each, name))
    const range = field && rangeNames(field).filter((each) => Object.hasOwn(parameters, each))
    if (field && range?.includes(name)) {
      for (const each of range) done.add(each)
      const text = rangeText(field, parameters, context)
      chips.push({ names: range, label: fieldLabel(field), text, field })
    } else chips.push(chipOf(name, value, field ?? null, context))
  }
  return chips
}

const isShownElsewhere = (name: string, parameters: Filters, { views }: Group): boolean =>
  name === 'sort' ||
  ((name === 'view' || name === 'asOf') && views.some((view) => view.name === parameters['view']))

const isOf = ({ name }: FilterField, parameter: string): boolean =>
  parameter === name || parameter.slice(0, parameter.lastIndexOf('.')) === name

const rangeNames = ({ name }: FilterField): readonly string[] =>
  ['gte', 'gt', 'lte', 'lt'].map((each) => `${name}.${each}`)

const chipOf = (
  name: string,
  value: string,
  field: FilterField | null,
  context: ChipContext,
): Chip => {
  const t = texts().explorer.chips
  if (field === null) return { names: [name], field: null, ...beyondFields(name, value, context) }
  const label = fieldLabel(field)
  const chip = (text: string): Chip => ({ names: [name], label, text, field })
  if (name === `${field.name}.isNull`) {
    if (field.name === 'deletedAt') return chip(value === 'true' ? t.notDeleted : t.deletedOnly)
    return chip(value === 'true' ? t.empty : t.notEmpty)
  }
  if (name === `${field.name}.startsWith`) return chip(t.startsWith(value))
  if (name === `${field.name}.in`) return chip(valuesText(field, value.split(','), context))
  return chip(valueText(field, value, context))
}

/** Conditions that do not belong to one field. */
const beyondFields = (name: string, value: string, { group, today }: ChipContext) => {
  const t = texts().explorer.chips
  if (name === 'ids') return { label: groupTitle(group), text: t.selected(value.split(',').length) }
  if (name === 'updatedSince') return { label: t.changedSince, text: timeText(value, today) }
  if (name === 'asOf') return { label: t.asOf, text: timeText(value, today) }
  if (name === 'days') return { label: t.within, text: t.days(Number(value)) }
  if (name === 'include') return { label: t.include, text: value.split(',').join(', ') }
  return { label: name, text: value }
}

/** Values to name in a chip. Further values are only counted. */
const namedMax = 3

const valuesText = (
  field: FilterField,
  values: readonly string[],
  context: ChipContext,
): string => {
  const named = values.slice(0, namedMax).map((each) => valueText(field, each, context))
  const left = values.length - named.length
  return listText(left > 0 ? [...named, texts().explorer.chips.others(left)] : named)
}

const valueText = (
  field: FilterField,
  value: string,
  { today, nameOfRecord }: ChipContext,
): string => {
  if (field.to !== null && groupAt(field.to)) {
    return nameOfRecord(field.to, value) ?? shortId(value)
  }
  if (field.values.includes(value)) return valueLabel(value)
  if (field.kind === 'amount') return amountText(value)
  if (field.kind === 'integer' && /^-?\d+$/.test(value)) return countText(Number(value))
  if (field.kind === 'date' || field.kind === 'timestamp') return timeText(value, today)
  return shortId(value)
}

/** A day, or a day and time if the value has a time. */
const timeText = (value: string, today: string): string => {
  const day = resolveDay(value, today)
  return day.length > 'yyyy-mm-dd'.length ? momentText(day) : dayText(day)
}

/** The range of a field as text: a named range, from and to, or only one of them. */
const rangeText = (field: FilterField, parameters: Filters, context: ChipContext): string => {
  const t = texts().explorer.chips
  const at = (is: string): string | undefined => parameters[`${field.name}.${is}`]
  const isTime = field.kind === 'date' || field.kind === 'timestamp'
  const show = (value: string) => valueText(field, value, context)
  const [from, to] = isTime ? daysOf(field, at) : [at('gte'), at('lte')]
  if (isTime) {
    const preset = dayPresets.find(
      (each) => each.from === (from ?? null) && each.to === (to ?? null),
    )
    if (preset) return texts().explorer.presets[preset.name]
  }
  if (from !== undefined && to !== undefined && !at('gt')) {
    return from === to ? show(from) : t.between(show(from), show(to))
  }
  const parts = [
    from !== undefined && (isTime ? t.from : t.atLeast)(show(from)),
    at('gt') !== undefined && (isTime ? t.after : t.moreThan)(show(at('gt') ?? '')),
    to !== undefined && (isTime ? t.until : t.atMost)(show(to)),
    at('lt') !== undefined &&
      to === undefined &&
      (isTime ? t.before : t.lessThan)(show(at('lt') ?? '')),
    !isTime && to !== undefined && at('lt') !== undefined && t.lessThan(show(at('lt') ?? '')),
  ]
  return parts.filter((each) => each !== false).join(', ')
}

/**
 * The first and the last day of a range. A range of times ends at the start of the day after its
 * last day.
 */
export const daysOf = (
  { kind }: FilterField,
  at: (is: string) => string | undefined,
): readonly [from: string | undefined, to: string | undefined] => {
  const end = at('lt')
  const isWholeDay = end !== undefined && (isRelativeDay(end) || /^\d{4}-\d{2}-\d{2}$/.test(end))
  if (kind === 'timestamp' && isWholeDay && at('lte') === undefined) {
    return [at('gte'), dayBefore(end)]
  }
  return [at('gte'), at('lte')]
}
