/** The pages of the documentation, and the fenced blocks in them. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

export const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'client/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .sort(),
]
export const isGenerated = (path: string): boolean => path.startsWith('docs/reference/')
/** The pages that are not generated. */
export const written = pages.filter((path) => !isGenerated(path))

/** A fenced block: its language, the words beside it, and its lines. */
export interface Block {
  readonly language: string
  readonly marks: readonly string[]
  readonly text: string
  readonly line: number
}

export const blocksOf = (markdown: string): readonly Block[] => {
  const blocks: Block[] = []
  let open: { language: string; marks: string[]; lines: string[]; line: number } | null = null
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, info] = /^```(.*)$/.exec(line) ?? []
    if (info === undefined) open?.lines.push(line)
    else if (open) {
      const { lines, ...block } = open
      blocks.push({ ...block, text: lines.join('\n') })
      open = null
    } else {
      const [language = '', ...marks] = info.trim().split(/\s+/)
      open = { language, marks, lines: [], line: index + 1 }
    }
  }
  assert.equal(open, null, 'a fenced block is not closed')
  return blocks
}

/** A page without its blocks. */
export const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, '')
