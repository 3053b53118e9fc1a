/**
 * Finds names and phrases that the repository does not use: private words for things that the field
 * has a term for, and phrases that read as translated. CONTRIBUTING.md has the rules.
 * `node test/support/english.ts [paths…]` prints every hit and the number of hits by rule.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Hit {
  readonly file: string
  readonly line: number
  /** The word or the name of the phrase, with what to write instead. */
  readonly rule: string
  readonly text: string
}

/** Words that no name contains, each with the usual term. */
const words: { readonly [word: string]: string } = {
  allowance: 'limit',
  breach: 'violation',
  breaches: 'violations',
  contest: 'comparison',
  fleet: 'cluster',
  flaw: 'rejected row',
  flaws: 'rejected rows',
  footing: 'walk state',
  hammer: 'load',
  hammered: 'load',
  ledger: 'collection stats',
  news: 'change tracker',
  quota: 'rate limit',
  remembered: 'cached',
  ring: 'key verifier',
  road: 'pipeline',
  roads: 'pipeline',
  sheaf: 'record buffer',
  shelf: 'copy store',
  spare: 'standby',
  standing: 'state',
  standings: 'states',
  supervise: 'cluster',
  tally: 'counters',
  trust: 'reliability',
  visit: 'request context',
  visits: 'request contexts',
  workplace: 'sandbox',
}

/** Names that are not used as they are, although their words are ordinary. */
const names: { readonly [name: string]: string } = {
  Answer: 'Response',
  AsOf: 'ReadState',
  Asked: 'OperationRequest',
  Beside: 'ExtraColumns',
  CutRows: 'RowSlices',
  MadeReady: 'EncodedResponse',
  Named: 'RouteMatch',
  Noting: 'RowDigest',
  Question: 'OperationRequest',
  ReadyAnswer: 'EncodedResponse',
  ReadyTexts: 'CanonicalJson',
  Refused: 'UsageError or another …Error',
  Unwritten: 'Rollback',
  Ways: 'Directions',
  asked: 'request, or a noun for what it holds',
  behind: 'dependencies',
  briefly: 'lockTimeout',
  chance: 'random',
  createFront: 'createHttpServer',
  drawKey: 'generateKey',
  found: 'match, or a noun for what it holds',
  given: 'a noun for what it holds',
  gone: 'exited or deleted',
  inTurn: 'mutex',
  isPast: 'isStale',
  kept: 'a noun for what it holds',
  known: 'a noun for what it holds',
  ledText: 'drivingIndex',
  letIn: 'admit',
  loadCut: 'bulkInsert',
  mayHave: 'mayContain',
  mostTelling: 'mostSelective',
  openRoads: 'pipeline',
  reasonOf: 'toApiError or errorMessage',
  say: 'log or report',
  sendWhole: 'sendRaw',
  staff: 'workers',
  takeFlaws: 'rejectInvalid',
  takeOne: 'consume',
  taken: 'a noun for what it holds',
  tell: 'report',
  tellLeft: 'setHeaders',
  told: 'reported',
  turns: 'mutex',
  youngMs: 'earlyExitMs',
}

/** Files are not called this. */
const fileNames = new Set([
  ...['answering', 'aside', 'checked', 'contest', 'cut', 'direct-road', 'fit', 'fleet', 'front'],
  ...['ledger', 'meter', 'news', 'notes', 'packed', 'papers', 'pause', 'quick-road', 'recall'],
  ...['remembered', 'ring', 'seen', 'shape', 'sheaf', 'shelf', 'sqlite-log', 'tally', 'unused'],
  ...['visit', 'whole-head', 'work', 'world', 'serving', 'trust', 'troubled-proxy'],
])

/** Phrases of prose, with what to write instead. */
const phrases: readonly (readonly [rule: string, pattern: RegExp])[] = [
  [
    '“is no X”: write “is not a X”',
    /(?<!\b[Tt]here\s)\b(?:is|are|was|were|has been) no (?!longer\b|more\b|less\b|fewer\b|different\b|match\b|[a-z]+er than\b)[a-z]+/g,
  ],
  ['“unless said”: write “by default”', /\bunless (?:said|told)\b/gi],
  ['“anew”: write “again”', /\banew\b/gi],
  ['“goes on”: write “continues”', /\b(?:go|goes|went|gone) on\b(?! to\b)/gi],
  [
    '“stands”: write “is” or “is stored”',
    /\b(?:stands?|stood)\b(?!-in\b|-alone\b| (?:in )?for\b| on its own\b)/gi,
  ],
  ['“told”: write “reported” or rephrase', /\btold\b(?! apart)/gi],
  ['“whoever”: name the subject', /\bwhoever\b/gi],
  ['“nobody”: name the subject', /\b(?:nobody|no one)\b/gi],
  [
    '“Who …”: name the subject',
    /(?:^|[.:;!?]\s+|\* )Who (?:is|was|has|asks|reads|may|does|writes|wants|cannot)\b(?![^.]*\?)/gm,
  ],
  ['“road”: write “path” or “pipeline”', /\broads?\b/gi],
  ['“news”: write “changes”', /\bnews\b/gi],
  ['“fleet”: write “cluster”', /\bfleets?\b/gi],
  ['“door”: write “entry point”', /\bdoors?\b/gi],
  ['“breach”: write “violation”', /\bbreach(?:es)?\b/gi],
]

interface Allowed {
  /** The beginning of a path, or a whole one; all files if it is missing. */
  readonly file?: string
  /** What the text or the name contains; anything if it is missing. */
  readonly text?: RegExp
  readonly reason: string
}

/** Files with the setting `given` of mappings. */
const givenFiles = [
  ...['src/cli/', 'src/ingest/', 'src/intake/batch-context.ts', 'src/mapping/', 'src/sync/'],
  ...['test/support/print-mapping.ts', 'test/unit/mapping-joins.test.ts'],
]

const allowed: readonly Allowed[] = [
  { file: 'test/support/english.ts', reason: 'It lists the words.' },
  { file: 'test/repository/english.test.ts', reason: 'It tests the search.' },
  {
    file: 'src/contract/domains/',
    text: /\b(?:door|road|ledger|fleet|breach)/i,
    reason: 'Words of supply chains.',
  },
  {
    file: 'demo/',
    text: /\b(?:door|road|ledger|fleet|breach|stand|spare|ring)/i,
    reason: 'Invented records.',
  },
  {
    text: /^nobody$|["=]nobody\b|\buser nobody\b/,
    reason: 'The user account of Unix, and a brand that does not exist.',
  },
  {
    text: /\b(?:display stand|stand up|standard|stand-?by|stands? in)\b/i,
    reason: 'Ordinary words.',
  },
  {
    text: /-A', 'trust|\btrust(?:ed|s)?Prox|TRUSTED/,
    reason: 'The terms of PostgreSQL and of proxies.',
  },
  {
    text: /^SPARE_WORKERS$/,
    reason: 'The name of a setting in the earlier checkout of a comparison.',
  },
  { file: 'demo/season/', text: /^isPast$/, reason: 'A day that is past.' },
  { file: 'demo/season/', text: /^byRoad$/, reason: 'A mode of transport.' },
  { text: /^breaches$/, reason: 'A public key of `selvedge check --json`.' },
  { file: 'src/cli/demo.ts', text: /^kept$/, reason: 'A public key of `selvedge demo --json`.' },
  { file: 'test/cli/commands.slow.test.ts', text: /^kept$/, reason: 'The same public key.' },
  { file: 'src/mcp/caller.ts', text: /^given$/, reason: 'A public key of error details.' },
  { file: 'src/mcp/follow.ts', text: /^found$/, reason: 'A public key of a tool result.' },
  { file: 'test/mcp/', text: /^found$/, reason: 'The same public key.' },
  ...givenFiles.map((file) => ({ file, text: /^given$/, reason: 'A setting of mappings.' })),
  {
    file: 'src/mapping/propose/enumeration.ts',
    text: /^road$/,
    reason: 'A mode of transport.',
  },
  { text: /^superviseWorker$/, reason: 'A supervisor starts processes again: the usual term.' },
  { text: /^ring(?:s)?$/, file: 'console/', reason: 'A ring around a focused element.' },
]

const isAllowed = ({ file, text }: Hit): boolean =>
  allowed.some((each) => file.startsWith(each.file ?? '') && (each.text?.test(text) ?? true))

const skipped = [
  // German.
  ...['console/src/texts/de/', 'src/contract/german/'],
  ...['openapi.json', 'connectors/', 'docs/reference/', 'test/golden/'],
  ...['client/src/generated/', 'bench/results/', 'reliability/results/', 'demo/records/'],
  ...['docs/explanation/reliability.md', 'package-lock.json'],
]

const root = join(import.meta.dirname, '../..')

/** The files of the repository below some paths that are searched. */
export const searchedFiles = (paths: readonly string[] = []): readonly string[] =>
  execFileSync('git', ['ls-files', '--', ...paths], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !skipped.some((prefix) => file.startsWith(prefix)))

/** Every hit in some files of the repository. */
export const searchEnglish = (files: readonly string[]): readonly Hit[] =>
  files.flatMap((file) => hitsIn(file, () => readFileSync(join(root, file), 'utf8')))

export const hitsIn = (file: string, read: () => string): readonly Hit[] => {
  const extension = extname(file)
  const name = basename(file).replace(/(\.\w+)+$/, '')
  const hits: Hit[] = fileNames.has(name)
    ? [{ file, line: 1, rule: `file name “${name}”`, text: file }]
    : []
  if (/^\.(ts|tsx|mjs|cjs)$/.test(extension)) hits.push(...hitsInCode(file, read()))
  else if (extension === '.md') hits.push(...hitsInProse(file, withoutCode(read()), 1))
  return hits.filter((hit) => !isAllowed(hit))
}

/** Code in Markdown has the names of programs; it is replaced by blanks of the same length. */
const withoutCode = (text: string): string =>
  text.replaceAll(/```[\s\S]*?```|`[^`\n]+`/g, (code) => code.replaceAll(/[^\n]/g, ' '))

const hitsInProse = (file: string, text: string, firstLine: number): Hit[] =>
  phrases.flatMap(([rule, pattern]) =>
    [...text.matchAll(pattern)].map((match) => {
      const line = firstLine + text.slice(0, match.index).split('\n').length - 1
      const from = Math.max(0, match.index - 40)
      const excerpt = text.slice(from, match.index + match[0].length + 40)
      return { file, line, rule, text: excerpt.replaceAll(/\s+/g, ' ').trim() }
    }),
  )

interface Node {
  readonly type: string
  readonly start: number
}

const hitsInCode = (file: string, text: string): readonly Hit[] => {
  const { program, comments } = parseSync(file, text)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const hits: Hit[] = comments.flatMap(({ value, start }) =>
    hitsInProse(file, value, lineAt(start)),
  )
  const seenNames = new Set<string>()
  const searchName = (name: string, offset: number) => {
    const rule = ruleForName(name)
    // One hit for each name of a file; a rename changes all of them.
    if (rule === null || seenNames.has(name)) return
    seenNames.add(name)
    hits.push({ file, line: lineAt(offset), rule, text: name })
  }
  const walk = (node: Node & Record<string, unknown>) => {
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') {
      // The address of a module is the name of a file, which has a rule of its own.
      for (const each of children(node)) if (each.type !== 'Literal') walk(each)
      return
    }
    if (/^(?:Identifier|PrivateIdentifier|JSXIdentifier)$/.test(node.type)) {
      searchName(String(node['name']), node.start)
    }
    if (node.type === 'Literal' && typeof node['value'] === 'string') {
      hits.push(...hitsInProse(file, node['value'], lineAt(node.start)))
    }
    if (node.type === 'JSXText')
      hits.push(...hitsInProse(file, String(node['value']), lineAt(node.start)))
    if (node.type === 'TemplateElement') {
      const { cooked } = node['value'] as { cooked?: string }
      hits.push(...hitsInProse(file, cooked ?? '', lineAt(node.start)))
    }
    for (const each of children(node)) walk(each)
  }
  walk(program as unknown as Node & Record<string, unknown>)
  return hits
}

const children = (node: Record<string, unknown>): readonly (Node & Record<string, unknown>)[] =>
  Object.values(node)
    .flat()
    .filter(
      (value): value is Node & Record<string, unknown> =>
        typeof value === 'object' && value !== null && 'type' in value && 'start' in value,
    )

const ruleForName = (name: string): string | null => {
  const exact = Object.hasOwn(names, name) ? names[name] : undefined
  if (exact !== undefined) return `name “${name}”: write ${exact}`
  const parts = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/).map((part) => part.toLowerCase())
  const word = parts.find((part) => Object.hasOwn(words, part))
  return word === undefined ? null : `word “${word}” in a name: write ${words[word]}`
}

if (import.meta.main) {
  const hits = searchEnglish(searchedFiles(process.argv.slice(2)))
  for (const { file, line, rule, text } of hits) {
    console.log(`${file}:${line}: ${rule}: ${text.slice(0, 120)}`)
  }
  const counts = new Map<string, number>()
  for (const { rule } of hits) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  console.log(`\n${hits.length} hits`)
  for (const [rule, count] of sorted) console.log(`${String(count).padStart(6)}  ${rule}`)
  process.exitCode = hits.length === 0 ? 0 : 1
}
