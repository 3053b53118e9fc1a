/** Scans that several requests finish together. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseError, type Steps } from '#database'
import { createResume, runScan, type ScanProgress } from '../../src/store/read/resumable-scan.ts'

interface Sum extends ScanProgress<number> {
  sum: number
}

const last = 100_000
const begin = (): Sum => ({ position: null, isDone: false, rows: 1_000, sum: 0 })
const steps: Steps = { stepMs: 2, tookMs: 2, all: async () => [] }

/** Adds up the numbers from 1 to `last`; `slices` of them are read before the time is over. */
const addUp =
  (slices: number) =>
  (progress: Sum): Promise<void> => {
    let read = 0
    return runScan<number, readonly number[]>(steps, progress, {
      rowBounds: { min: 1_000, max: 50_000 },
      endOf: async (from, rows) => ((from ?? 0) + rows < last ? (from ?? 0) + rows : null),
      read: async ({ from, to }) => {
        read += 1
        if (read > slices) throw new DatabaseError('on purpose')
        const first = (from ?? 0) + 1
        return Array.from({ length: (to ?? last) - first + 1 }, (_, index) => first + index)
      },
      add: async (numbers) => {
        progress.sum += numbers.reduce((sum, each) => sum + each, 0)
        return false
      },
    })
  }

const total = (last * (last + 1)) / 2

describe('a scan', () => {
  it('is continued where the one before stopped, and adds every slice once', async () => {
    const resume = createResume<Sum>(10)
    await assert.rejects(resume('numbers', '1', begin, addUp(60)), DatabaseError)
    assert.equal((await resume('numbers', '1', begin, addUp(60))).sum, total)
  })

  it('is continued by two requests at a time', async () => {
    const resume = createResume<Sum>(10)
    await assert.rejects(resume('numbers', '1', begin, addUp(60)), DatabaseError)
    const both = [1, 2].map(() => resume('numbers', '1', begin, addUp(60)))
    for (const each of await Promise.all(both)) assert.equal(each.sum, total)
  })

  it('begins again in another state, and after an error of its own', async () => {
    const resume = createResume<Sum>(10)
    await assert.rejects(resume('numbers', '1', begin, addUp(60)), DatabaseError)
    await assert.rejects(resume('numbers', '2', begin, addUp(60)), DatabaseError)
    const fails = async (progress: Sum) => {
      progress.sum = -1
      throw new RangeError('on purpose')
    }
    await assert.rejects(resume('others', '1', begin, fails), RangeError)
    assert.equal((await resume('others', '1', begin, addUp(200))).sum, total)
  })
})
