import type { Ran } from '../../test/support/command.ts'
import { importColor, type Word, type World, wrongBeside } from './import-states.ts'

/** What imports that were broken off left, all in all. */
export interface Judged {
  /** The state of before, whole. */
  old: number
  /** The state of after, whole. */
  new: number
  /** Neither: some of an import. */
  half: number
  /** Said to be done, and not there. */
  lost: number
  /** Totals that no count agrees with. */
  wrongTotals: number
  readonly misses: string[]
}

export const nothingJudged = (): Judged => ({
  old: 0,
  new: 0,
  half: 0,
  lost: 0,
  wrongTotals: 0,
  misses: [],
})

/**
 * Looks at what an import to a state has left, after the next one has gone through: only then has
 * a server noticed that a client is gone.
 */
export const judge = async (
  world: World,
  judged: Judged,
  { where, next, ran, round }: { where: string; next: Word; ran: Ran; round: number },
): Promise<Word> =>
  world.withRecords(async (open) => {
    const miss = (sentence: string) =>
      judged.misses.push(`${world.engine}, ${where}: ${sentence} ${ran.stderr.slice(-300)}`.trim())
    await importColor(world, open, round)
    const word = await world.wordIn(open)
    if (word === null) {
      judged.half += 1
      miss('it left something in between.')
    } else judged[word === next ? 'new' : 'old'] += 1
    if ((ran.code === 0 || ran.stdout.includes('Imported.')) && word !== next) {
      judged.lost += 1
      miss('what it said was done is not there.')
    }
    const wrong = await wrongBeside(open)
    judged.wrongTotals += wrong.length
    wrong.forEach(miss)
    return word ?? next
  })

export const other = (word: Word): Word => (word === 'before' ? 'after' : 'before')
