import { texts } from '../texts/index.ts'
import type { DocumentDeadline, DocumentStage } from './document.ts'

/** A comparison with a planned date as text, and its severity. */
export interface Lateness {
  readonly text: string
  readonly tone: 'bad' | 'warn' | 'good' | 'quiet'
}

/** Compares a deadline with its plan: `8 days late`, `due in 3 days`, `2 days early`. */
export const latenessOf = ({ name, days, isOpen, isLate }: DocumentDeadline): Lateness => {
  const { deadlines, late, dueIn, dueToday, wasLate, early, onTime } = texts().document
  const about = (phrase: string) => `${deadlines[name] ?? name}: ${phrase}`
  if (isOpen) {
    if (isLate) return { text: about(late(days)), tone: 'bad' }
    return { text: about(days === 0 ? dueToday : dueIn(Math.abs(days))), tone: 'quiet' }
  }
  if (isLate) return { text: about(wasLate(days)), tone: 'warn' }
  return { text: about(days === 0 ? onTime : early(-days)), tone: 'good' }
}

/** Compares a stage with its plan; null if it has no plan. */
export const stageDays = ({ days, state }: DocumentStage): Lateness | null => {
  const { late, wasLate, early, onTime } = texts().document
  if (days === null) return null
  if (state !== 'done') return days > 0 ? { text: late(days), tone: 'bad' } : null
  if (days > 0) return { text: wasLate(days), tone: 'warn' }
  return { text: days === 0 ? onTime : early(-days), tone: 'good' }
}
