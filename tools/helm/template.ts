/**
 * The part of Go's template language that the chart uses, parsed. Everything else is refused, so that a
 * template cannot mean one thing here and another in Helm.
 */

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with'
      readonly branches: readonly Branch[]
      readonly otherwise: Nodes
    }
  | {
      readonly kind: 'range'
      /** Names of the variables for the key and the value; the key can be absent. */
      readonly key: string | null
      readonly value: string
      readonly over: Pipeline
      readonly body: Nodes
    }

export type Nodes = readonly Node[]

export interface Branch {
  readonly condition: Pipeline
  readonly body: Nodes
}

/** Commands from left to right; each gets the result of the one before as its last argument. */
export type Pipeline = readonly Command[]

export type Command =
  | { readonly kind: 'call'; readonly name: string; readonly parameters: readonly Operand[] }
  | { readonly kind: 'operand'; readonly operand: Operand }

export type Operand =
  | { readonly kind: 'literal'; readonly value: string | bigint | boolean }
  /** Fields of the current value (`.a.b`) or of a variable (`$`, `$name.a`). */
  | { readonly kind: 'path'; readonly variable: string | null; readonly fields: readonly string[] }
  | { readonly kind: 'pipeline'; readonly pipeline: Pipeline }

/** A template does not use the language as it has to, or a value has no meaning in it. */
export class TemplateError extends Error {}

export interface ParsedTemplate {
  readonly body: Nodes
  readonly definitions: ReadonlyMap<string, Nodes>
}

/** Parses a file. Errors name it. */
export const parseTemplate = (source: string, file: string): ParsedTemplate => {
  try {
    return parsePieces(piecesOf(source))
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new TemplateError(`${file}: ${error.message}`)
  }
}

type Piece = { readonly text: string } | { readonly action: string }

/** Text and actions. `{{- ` and ` -}}` remove the white space beside them. */
const piecesOf = (source: string): readonly Piece[] => {
  const pieces: Piece[] = []
  let end = 0
  let trimsNext = false
  const addText = (text: string, trimsEnd: boolean) => {
    const start = trimsNext ? text.trimStart() : text
    pieces.push({ text: trimsEnd ? start.trimEnd() : start })
  }
  for (const match of source.matchAll(/\{\{(-(?=\s))?([\s\S]*?)((?<=\s)-)?\}\}/g)) {
    const [whole, trimsBefore, action = '', trimsAfter] = match
    addText(source.slice(end, match.index), trimsBefore !== undefined)
    if (!/^\s*\/\*[\s\S]*\*\/\s*$/.test(action)) pieces.push({ action: action.trim() })
    trimsNext = trimsAfter !== undefined
    end = match.index + whole.length
  }
  addText(source.slice(end), false)
  return pieces
}

const parsePieces = (pieces: readonly Piece[]): ParsedTemplate => {
  const definitions = new Map<string, Nodes>()
  let next = 0

  /** Nodes up to an `else` or `end` of the block around them. */
  const parseNodes = (inside: string | null): { nodes: Nodes; stop: string } => {
    const nodes: Node[] = []
    for (;;) {
      const piece = pieces[next]
      next += 1
      if (piece === undefined) {
        if (inside !== null) throw new TemplateError(`{{ ${inside} }} has no {{ end }}`)
        return { nodes, stop: 'end' }
      }
      if ('text' in piece) {
        if (piece.text !== '') nodes.push({ kind: 'text', text: piece.text })
        continue
      }
      const { action } = piece
      const [, word = '', rest = ''] = /^(\w*)\s*([\s\S]*)$/.exec(action) ?? []
      if (word === 'end' || word === 'else') {
        if (inside === null) throw new TemplateError(`{{ ${action} }} is outside of a block`)
        return { nodes, stop: action }
      }
      if (word === 'define') {
        if (inside !== null) throw new TemplateError(`{{ ${action} }} is inside of a block`)
        const [, name = ''] = /^"([\w.]+)"$/.exec(rest) ?? []
        if (name === '') throw new TemplateError(`{{ ${action} }} has no name`)
        definitions.set(name, parseBody(action))
      } else if (word === 'if' || word === 'with') nodes.push(parseCondition(word, action, rest))
      else if (word === 'range') nodes.push(parseRange(action, rest))
      else nodes.push({ kind: 'print', pipeline: parsePipeline(action) })
    }
  }

  /** A body without an `else`. */
  const parseBody = (action: string): Nodes => {
    const { nodes, stop } = parseNodes(action)
    if (stop !== 'end') throw new TemplateError(`{{ ${stop} }} is not supported in {{ ${action} }}`)
    return nodes
  }

  const parseCondition = (kind: 'if' | 'with', action: string, condition: string): Node => {
    const branches: Branch[] = []
    let current = condition
    for (;;) {
      const { nodes, stop } = parseNodes(action)
      branches.push({ condition: parsePipeline(current), body: nodes })
      if (stop === 'end') return { kind, branches, otherwise: [] }
      if (stop === 'else') return { kind, branches, otherwise: parseBody('else') }
      const [, elseIf] = /^else if\s+([\s\S]+)$/.exec(stop) ?? []
      if (elseIf === undefined || kind !== 'if') {
        throw new TemplateError(`{{ ${stop} }} is not supported in {{ ${action} }}`)
      }
      current = elseIf
    }
  }

  const parseRange = (action: string, rest: string): Node => {
    const [, key = null, value = '', over = ''] =
      /^(?:\$(\w+), )?\$(\w+) := ([\s\S]+)$/.exec(rest) ?? []
    if (over === '') throw new TemplateError(`{{ ${action} }} has to name its variables`)
    return { kind: 'range', key, value, over: parsePipeline(over), body: parseBody(action) }
  }

  return { body: parseNodes(null).nodes, definitions }
}

const tokenPattern =
  /\s*(?:("(?:[^"\\]|\\.)*")|(\d+)(?![\w.])|(\$\w*(?:\.\w+)*|(?:\.\w+)+|\.)|([a-zA-Z]\w*)|([|()]))/y

type Token =
  | { readonly operand: Operand }
  | { readonly word: string }
  | { readonly sign: '|' | '(' | ')' }

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  tokenPattern.lastIndex = 0
  while (tokenPattern.lastIndex < text.trimEnd().length) {
    const match = tokenPattern.exec(text)
    if (!match)
      throw new TemplateError(`{{ ${text} }} is not in the supported part of the language`)
    const [, quoted, digits, path, word, sign] = match
    if (quoted !== undefined) tokens.push(literal(JSON.parse(quoted)))
    else if (digits !== undefined) tokens.push(literal(BigInt(digits)))
    else if (path !== undefined) tokens.push({ operand: parsePath(path) })
    else if (word === 'true' || word === 'false') tokens.push(literal(word === 'true'))
    else if (word !== undefined) tokens.push({ word })
    else tokens.push({ sign: sign as '|' | '(' | ')' })
  }
  return tokens
}

const literal = (value: string | bigint | boolean): Token => ({
  operand: { kind: 'literal', value },
})

const parsePath = (path: string): Operand => {
  const [start = '', ...fields] = path.split('.')
  return {
    kind: 'path',
    variable: start.startsWith('$') ? start.slice(1) : null,
    fields: fields.filter((field) => field !== ''),
  }
}

const parsePipeline = (text: string): Pipeline => {
  const tokens = tokensOf(text)
  const refuse = (): never => {
    throw new TemplateError(`{{ ${text} }} is not in the supported part of the language`)
  }
  const parseCommands = (isNested: boolean): Pipeline => {
    const commands: Command[] = []
    for (;;) {
      commands.push(parseCommand())
      const token = tokens.shift()
      if (token === undefined) return isNested ? refuse() : commands
      if (!('sign' in token)) return refuse()
      if (token.sign === ')') return isNested ? commands : refuse()
    }
  }
  const parseCommand = (): Command => {
    const [first] = tokens
    if (first && 'word' in first) {
      tokens.shift()
      return { kind: 'call', name: first.word, parameters: parseOperands() }
    }
    const [operand, ...more] = parseOperands()
    return operand === undefined || more.length > 0 ? refuse() : { kind: 'operand', operand }
  }
  const parseOperands = (): Operand[] => {
    const operands: Operand[] = []
    for (;;) {
      const [token] = tokens
      if (token && 'operand' in token) operands.push(token.operand)
      else if (token && 'sign' in token && token.sign === '(') {
        tokens.shift()
        operands.push({ kind: 'pipeline', pipeline: parseCommands(true) })
        continue
      } else if (token && 'word' in token) return refuse()
      else return operands
      tokens.shift()
    }
  }
  return parseCommands(false)
}
