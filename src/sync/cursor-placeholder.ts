/** What an engine takes for texts, names and comments, in which `:cursor` means nothing. */
export interface SqlLexicon {
  /** Finds one of them where it begins; sticky. */
  readonly quoted: RegExp
  /** Whether a comment may be inside of another one. */
  readonly nestsComments: boolean
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

const placeholder = ':cursor'

/** Neither the type of a cast (`::cursor`) nor the end of a slice (`a[1:cursor]`). */
const placeholderPattern = /(?<![:\w]):cursor\b/y

function* placeholdersOf(
  sql: string,
  { quoted, nestsComments }: SqlLexicon,
): Generator<number, void> {
  for (let at = 0; at < sql.length; ) {
    const skipped = sql.startsWith('/*', at)
      ? commentLength(sql, at, nestsComments)
      : matchAt(quoted, sql, at)
    if (skipped > 0) at += skipped
    else {
      if (matchAt(placeholderPattern, sql, at) > 0) yield at
      at += 1
    }
  }
}

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
