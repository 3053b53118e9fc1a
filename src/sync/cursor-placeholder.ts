/** What an engine takes for texts, names and comments, in which `:cursor` means nothing. */
export interface SqlLexicon {
  /** Finds one of them where it begins; sticky. */
  readonly quoted: RegExp
  /** Whether a comment may be inside of another one. */
  readonly nestsComments: boolean
  /** Comments that the engine executes. */
  readonly executedComment: RegExp | null
}

/** A query with a value in place of each `:cursor`. */
export const replaceCursor = (sql: string, value: string, lexicon: SqlLexicon): string => {
  let text = ''
  let last = 0
  for (const at of placeholdersOf(sql, lexicon)) {
    text += sql.slice(last, at) + value
    last = at + placeholder.length
  }
  return text + sql.slice(last)
}

/** Whether a query has a place for the cursor. */
export const hasCursor = (sql: string, lexicon: SqlLexicon): boolean =>
  !placeholdersOf(sql, lexicon).next().done

/** A query without its texts, names in quotes and comments, except for comments that are executed. */
export const withoutQuoted = (sql: string, lexicon: SqlLexicon): string => {
  let text = ''
  for (let at = 0; at < sql.length; ) {
    const skipped = quotedLength(sql, at, lexicon)
    const isExecuted = lexicon.executedComment?.test(sql.slice(at, at + 4))
    text += skipped === 0 || isExecuted ? sql.slice(at, at + (skipped || 1)) : ' '
    at += skipped || 1
  }
  return text
}

const placeholder = ':cursor'

/** Neither the type of a cast (`::cursor`) nor the end of a slice (`a[1:cursor]`). */
const placeholderPattern = /(?<![:\w]):cursor\b/y

function* placeholdersOf(sql: string, lexicon: SqlLexicon): Generator<number, void> {
  for (let at = 0; at < sql.length; ) {
    const skipped = quotedLength(sql, at, lexicon)
    if (skipped > 0) at += skipped
    else {
      if (matchAt(placeholderPattern, sql, at) > 0) yield at
      at += 1
    }
  }
}

/** The length of the text, name or comment that begins here; 0 if none does. */
const quotedLength = (sql: string, at: number, { quoted, nestsComments }: SqlLexicon): number =>
  sql.startsWith('/*', at) ? commentLength(sql, at, nestsComments) : matchAt(quoted, sql, at)

const matchAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

const commentLength = (sql: string, from: number, nests: boolean): number => {
  let depth = 0
  for (const { 0: mark, index } of sql.slice(from).matchAll(/\/\*|\*\//g)) {
    if (mark === '*/') depth -= 1
    else if (nests || depth === 0) depth += 1
    if (depth === 0) return index + mark.length
  }
  return sql.length - from
}
