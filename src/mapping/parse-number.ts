import { fieldAt, formatUnits, multiplyDecimals, parseDecimal, patterns } from '#contract'
import { quotientPlaces } from './arithmetic.ts'
import type { Expression } from './mapping.ts'
import type { ModifierContext, Settings, Target } from './parse-modifiers.ts'
import { readSettings, readText, shown, unknownName } from './settings.ts'
import { unitSettings } from './syntax.ts'
import { unitOfMeasure, units } from './units.ts'
import type { YamlNode } from './yaml-tree.ts'

/** How an expression changes numbers: by a factor, the unit of a row and rounding. */
interface NumberChange extends Pick<Expression, 'unit' | 'round'> {
  /** The combined factor of `unit` and `multiply`. */
  readonly factor: string | null
}

export const readNumberChange = (
  settings: Settings,
  target: Target,
  context: ModifierContext,
): NumberChange => {
  const { problems } = context
  const [multiply, unitNode] = [settings.get('multiply'), settings.get('unit')]
  const factors: string[] = []
  if (multiply) {
    const text = multiply.kind === 'scalar' ? multiply.text : ''
    if (new RegExp(patterns.amount).test(text)) factors.push(text)
    else
      problems.add(multiply.line, `multiply of ${target.name} must be a number such as 0.01 or -1`)
  }
  const unit = unitNode ? readUnit(unitNode, target, context) : null
  if (typeof unit === 'string') factors.push(unit)
  const { units: digits, scale } = multiplyDecimals(...factors.map(parseDecimal))
  const round = readRound(settings.get('round'), target, context)
  return {
    factor: factors.length === 0 ? null : formatUnits(digits, scale),
    ...(unit !== null && typeof unit === 'object' && { unit }),
    ...(round && { round }),
  }
}

/** The factor of a unit, or how the unit of each row is found. */
const readUnit = (
  node: YamlNode,
  target: Target,
  context: ModifierContext,
): string | NonNullable<Expression['unit']> | null => {
  const { problems } = context
  const { name, field } = target
  const what = `unit of ${name}`
  const settings = node.kind === 'map' ? readSettings(node, unitSettings, what, problems) : null
  const fromNode = settings ? settings.get('from') : node
  const to = readText(settings?.get('to'), what, problems)
  const wanted = field.measure && unitOfMeasure[field.measure]
  if (settings && !fromNode) problems.add(node.line, `${what} has no from`)
  if (fromNode?.kind === 'map') {
    const from = context.parse(fromNode, { name: what, field: { kind: 'text', nullable: true } })
    const target = wanted ?? (to !== null && isTarget(to) ? to : null)
    if (target === null || (to !== null && to !== target)) {
      problems.add(node.line, unknownTarget(name, wanted, to))
      return null
    }
    return from && { from, to: target }
  }
  const from = readText(fromNode, what, problems)
  if (from === null) return null
  const unit = Object.hasOwn(units, from) ? units[from] : undefined
  if (!unit) {
    problems.add(node.line, unknownName(from, Object.keys(units), 'a unit'))
  } else if (wanted && unit.to !== wanted) {
    problems.add(node.line, `${name} is in ${wanted}, and ${from} cannot be converted to it`)
  } else if (to !== null && to !== unit.to) {
    problems.add(node.line, `${from} is converted to ${unit.to}, not to ${shown(to)}`)
  } else return unit.factor
  return null
}

const isTarget = (to: string): boolean => Object.values(units).some((unit) => unit.to === to)

const unknownTarget = (name: string, wanted: string | undefined, to: string | null): string => {
  const names = [...new Set(Object.values(units).map((unit) => unit.to))]
  if (wanted) return `${name} is in ${wanted}, not in ${shown(to ?? '')}`
  return to === null
    ? `the unit of ${name} differs by row, so that it needs to: with one of ${names.join(', ')}`
    : unknownName(to, names, 'a unit to convert to')
}

/** A number of places, or the field with the currency whose digits count. */
const readRound = (
  node: YamlNode | undefined,
  target: Target,
  { problems, catalog, collection }: ModifierContext,
): Expression['round'] | null => {
  if (!node) return null
  const { name, field } = target
  const value = node.kind === 'scalar' ? node.value : null
  if (value === 'currency' && field.kind !== 'integer') {
    return { currency: currencyFieldOf(target, { catalog, collection }) }
  }
  const most = field.kind === 'integer' ? 0 : quotientPlaces
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) {
    return { places: value }
  }
  problems.add(
    node.line,
    field.kind === 'integer'
      ? `${name} is a whole number: round it with round: 0`
      : `round of ${name} must be a number of decimal places from 0 to ${most}, or currency`,
  )
  return null
}

/** The field of the record with the currency of an amount; null for the brand's currency. */
const currencyFieldOf = (
  { field: { currencyFrom = 'currency' } }: Target,
  { catalog, collection }: Pick<ModifierContext, 'catalog' | 'collection'>,
): string | null => {
  const fields = catalog.byPath.get(collection)?.fields
  return fields && fieldAt(fields, currencyFrom)?.kind === 'text' ? currencyFrom : null
}
