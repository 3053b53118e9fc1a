/** A problem of a mapping file. */
export interface MappingProblem {
  /** The line of the file; 0 for the file as a whole. */
  readonly line: number
  readonly message: string
}

/** An unusable mapping file, with all its problems. */
export class MappingError extends Error {
  readonly file: string
  readonly problems: readonly MappingProblem[]

  constructor(file: string, problems: readonly MappingProblem[]) {
    const shown = problems.slice(0, shownMax)
    const more = problems.length - shown.length
    super(
      [
        ...shown.map(({ line, message }) => `${line > 0 ? `${file}:${line}` : file} ${message}`),
        ...(more > 0 ? [`… and ${more} more`] : []),
      ].join('\n'),
    )
    this.file = file
    this.problems = problems
  }
}

/** Maximum number of problems in the error's message. */
const shownMax = 30
