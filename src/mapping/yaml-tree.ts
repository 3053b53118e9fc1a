import type { Alias, Node } from 'yaml'
import type { MappingProblem } from './mapping-error.ts'

/** A value of a YAML file, with its line. */
export type YamlNode = YamlScalar | YamlList | YamlMap

export interface YamlScalar {
  readonly kind: 'scalar'
  readonly line: number
  readonly value: string | number | boolean | null
  /** The source text: `01` is the number 1 and the text 01. */
  readonly text: string
}

export interface YamlList {
  readonly kind: 'list'
  readonly line: number
  readonly items: readonly YamlNode[]
}

export interface YamlMap {
  readonly kind: 'map'
  readonly line: number
  readonly entries: readonly YamlEntry[]
}

export interface YamlEntry {
  readonly name: string
  readonly line: number
  readonly value: YamlNode
}

/** A value counts again for each alias. */
const nodesMax = 200_000
const depthMax = 30

export type YamlTree =
  | { readonly root: YamlNode; readonly problems?: undefined }
  | { readonly root?: undefined; readonly problems: readonly MappingProblem[] }

/** Parses YAML 1.2. Loads the library on first use. */
export const parseYaml = async (text: string): Promise<YamlTree> => {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  // Its own check of keys compares each with all others.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  })
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map(({ pos, message }) => ({
        line: lines.linePos(pos[0]).line,
        message: `is not YAML: ${message.split('\n', 1)[0]}`,
      })),
    }
  }
  let count = 0
  const problems: MappingProblem[] = []
  const resolve = createResolver()
  const convert = (node: Node | null | undefined, outerLine: number, depth: number): YamlNode => {
    const line = node?.range ? lines.linePos(node.range[0]).line : outerLine
    count += 1
    const isTooMuch = count > nodesMax || depth > depthMax
    if (isTooMuch && problems.length === 0) {
      problems.push({ line, message: 'is nested too deeply, or repeats too much by aliases' })
    }
    if (isTooMuch || !node) return { kind: 'scalar', line, value: null, text: '' }
    if (isAlias(node)) return convert(resolve.alias(node), line, depth + 1)
    resolve.add(node)
    if (isSeq(node)) {
      return {
        kind: 'list',
        line,
        items: node.items.map((each) => convert(each as Node, line, depth + 1)),
      }
    }
    if (isMap(node)) {
      const names = new Set<string>()
      return {
        kind: 'map',
        line,
        entries: node.items.map(({ key, value }) => {
          const name = convert(key as Node, line, depth + 1)
          if (name.kind === 'scalar' && names.has(name.text) && count <= nodesMax) {
            problems.push({ line: name.line, message: 'is not YAML: Map keys must be unique' })
          }
          if (name.kind === 'scalar') names.add(name.text)
          return {
            name: name.kind === 'scalar' ? name.text : '',
            line: name.line,
            value: convert(value as Node | null, name.line, depth + 1),
          }
        }),
      }
    }
    if (!isScalar(node)) return { kind: 'scalar', line, value: null, text: '' }
    const { value, source } = node
    const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    const plain = isPlain ? (value as YamlScalar['value']) : String(value)
    const written = typeof value === 'string' ? value : (source ?? String(value))
    return { kind: 'scalar', line, value: plain, text: value === null ? '' : written }
  }
  const root = convert(document.contents as Node | null, 1, 0)
  return problems.length > 0 ? { problems } : { root }
}

/**
 * Finds the nodes of aliases in the order of the document: the last one before an alias that has
 * its name. The library would search the whole document for each alias.
 */
const createResolver = () => {
  const anchors = new Map<string, Node>()
  const resolved = new Map<Alias, Node | null>()
  const seen = new Set<Node>()
  return {
    add: (node: Node & { readonly anchor?: string }): void => {
      // A node that an alias repeats does not come here for the first time.
      if (!node.anchor || seen.has(node)) return
      seen.add(node)
      anchors.set(node.anchor, node)
    },
    alias: (alias: Alias): Node | null => {
      const node = resolved.get(alias) ?? anchors.get(alias.source) ?? null
      resolved.set(alias, node)
      return node
    },
  }
}
