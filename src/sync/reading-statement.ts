import { type SqlLexicon, withoutQuoted } from './cursor-placeholder.ts'
import { SourceDatabaseError } from './source-database.ts'

/** Locks rows of the source for as long as a round reads. */
const lockPattern =
  /\bfor\s+(?:no\s+key\s+|key\s+)?(?:update|share)\b|\block\s+in\s+share\s+mode\b/i

/**
 * A text of a mapping as one query without its end. Others are refused before they are sent: as a part
 * of another query, it can then only read. The transaction cannot write either, but on MySQL and
 * MariaDB some statements end it.
 */
export const requireReading = (text: string, lexicon: SqlLexicon): string => {
  const sql = text.trim().replace(/[;\s]+$/, '')
  const problem = problemOf(withoutQuoted(sql, lexicon), lexicon)
  if (problem === null) return sql
  throw new SourceDatabaseError(
    `The query ${problem}. Nothing of it was sent. Write one query that reads, such as select * from orders.`,
    false,
  )
}

const problemOf = (text: string, { executedComment }: SqlLexicon): string | null => {
  const [, word = ''] = /^[\s(]*([a-z]*)/i.exec(text) ?? []
  if (!/^(select|with|values|table)$/i.test(word))
    return `begins with ${word.slice(0, 20).toLowerCase() || 'no word'}`
  if (text.includes(';')) return 'has a semicolon in it'
  if (!isBalanced(text)) return 'has a parenthesis without its other one'
  if (executedComment && /\/\*/.test(text)) return 'has a comment that is executed'
  return lockPattern.test(text) ? 'locks rows' : null
}

const isBalanced = (text: string): boolean => {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}
