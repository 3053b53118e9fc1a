/** A text of a source file and its wrong replacement. */
export interface SourceMistake {
  readonly file: string
  /** Must occur exactly once in the file. */
  readonly from: string
  readonly to: string
}

/** The environment variable that passes a mistake to a process as JSON. */
export const mistakeVariable = 'SELVEDGE_MISTAKE'

export const withMistake = (source: string, { file, from, to }: SourceMistake): string => {
  const [before = '', after, ...more] = source.split(from)
  if (after === undefined || more.length > 0) {
    throw new RangeError(`${file} has ${after === undefined ? 'no' : 'more than one'} "${from}".`)
  }
  return before + to + after
}

/** A mistake in a source file, and the test that must notice it. */
export interface Mistake extends SourceMistake {
  /** A description for people. */
  readonly about: string
  readonly test: string
  readonly noticedBy: string
}
