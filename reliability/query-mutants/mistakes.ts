import { readFileSync } from 'node:fs'
import type { Mistake } from './mistake.ts'

/** Mistakes that somebody could make in the query API, each with the test that has to notice it. */
export const mistakes: readonly Mistake[] = JSON.parse(
  readFileSync(new URL('mistakes.json', import.meta.url), 'utf8'),
)
