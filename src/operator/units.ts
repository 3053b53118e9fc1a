import type { OperatorPage, OperatorUnit } from '#contract'
import type { Unit, UnitState, Units } from '#intake'
import { readCursor, writeCursor } from './cursor.ts'
import { OperatorError } from './error.ts'

export interface UnitRequest {
  readonly brand?: string | undefined
  readonly state?: UnitState | undefined
  readonly cursor?: string | undefined
}

/** Units of a page. */
const pageUnits = 100

/** The units of work, the latest first. */
export const listUnits = async (
  units: Pick<Units, 'list'>,
  { brand, state, cursor }: UnitRequest,
): Promise<OperatorPage<OperatorUnit>> => {
  const before = cursor === undefined ? undefined : Number(readCursor(cursor, 1)[0])
  const page = await units.list({ brand, state, before, limit: pageUnits })
  const [first] = page
  return {
    items: page.toReversed().map(describeUnit),
    nextCursor: first && page.length === pageUnits ? writeCursor([first.number]) : null,
  }
}

export const describeUnit = ({ number: _, writtenTo: __, ...unit }: Unit): OperatorUnit => unit

export const requireUnit = async (units: Pick<Units, 'find'>, id: string): Promise<Unit> => {
  const unit = await units.find(id)
  if (unit) return unit
  throw new OperatorError('missing', `There is no unit ${id}. See: selvedge intake`)
}

/** Lets a unit be tried again. `accepts` says that what a file is held for is right. */
export const retryUnit = async (
  units: Pick<Units, 'find' | 'retry'>,
  id: string,
  accepts: boolean,
): Promise<void> => {
  const unit = await requireUnit(units, id)
  if (accepts && unit.kind !== 'file') {
    throw new OperatorError('invalid', `${id} is not a file: there is nothing to accept.`)
  }
  if (!(await units.retry(id, accepts))) throw wrongState(unit, 'retried')
}

/** Refuses a unit. Its records are lost unless they are sent again. */
export const discardUnit = async (
  units: Pick<Units, 'find' | 'discard'>,
  id: string,
): Promise<void> => {
  const unit = await requireUnit(units, id)
  if (!(await units.discard(id))) throw wrongState(unit, 'discarded')
}

const wrongState = ({ id, state }: Unit, what: 'retried' | 'discarded'): OperatorError =>
  new OperatorError(
    'conflict',
    `${id} is ${state} and cannot be ${what}. ${what === 'retried' ? 'A unit can be retried if it is quarantined or its process has ended.' : 'A unit can be discarded if it waits, is quarantined, or its process has ended.'}`,
  )
