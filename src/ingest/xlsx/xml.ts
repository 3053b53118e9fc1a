import { SourceError } from '../row.ts'

/** Receives the parts of a document in order. Names have no prefix. */
export interface XmlHandler {
  /** `attributes` is the raw text of the attributes: see `attributesOf`. */
  open(name: string, attributes: string): void
  text(text: string): void
  close(name: string): void
}

/** Maximum length of a text or a tag. A cell of a spreadsheet holds 32,767 characters. */
const tokenMax = 1_000_000
const depthMax = 100

/**
 * Parses an XML document in chunks: elements, texts and CDATA sections. Skips comments and
 * processing instructions. Rejects a document type, so that entities cannot be defined.
 */
export const createXmlReader = (handler: XmlHandler) => {
  const open: string[] = []
  let rest = ''

  /** Handles markup that begins with `<`. Returns its end, or -1 if the end has not arrived yet. */
  const readMarkup = (text: string, at: number): number => {
    const next = text.charCodeAt(at + 1)
    if (next === exclamation) return readDeclaration(text, at)
    if (next === question) return after(text, '?>', at)
    const end = tagEnd(text, at)
    if (end < 0) return -1
    if (next === slash) {
      const name = localName(text.slice(at + 2, end).trim())
      if (open.pop() !== name) throw notXml(`</${name}> ends nothing that was begun`)
      handler.close(name)
      return end + 1
    }
    const isEmpty = text.charCodeAt(end - 1) === slash
    const tag = text.slice(at + 1, isEmpty ? end - 1 : end)
    const space = tag.search(/\s/)
    const name = localName(space < 0 ? tag : tag.slice(0, space))
    if (name === '') throw notXml('it has a tag without a name')
    handler.open(name, space < 0 ? '' : tag.slice(space))
    if (isEmpty) handler.close(name)
    else if (open.push(name) > depthMax) throw notXml('its elements are nested too deep')
    return end + 1
  }

  const readDeclaration = (text: string, at: number): number => {
    if (text.startsWith('<!--', at)) return after(text, '-->', at)
    if (text.startsWith('<![CDATA[', at)) {
      const end = text.indexOf(']]>', at)
      if (end < 0) return -1
      handler.text(text.slice(at + 9, end))
      return end + 3
    }
    // The start of either token may still be incomplete.
    if (text.length - at < 9) return -1
    throw notXml('it has a document type')
  }

  return {
    write: (chunk: string): void => {
      const text = rest + chunk
      let at = 0
      for (;;) {
        const tag = text.indexOf('<', at)
        if (tag < 0) break
        if (tag > at && open.length > 0) handler.text(decodeEntities(text.slice(at, tag)))
        const end = readMarkup(text, tag)
        at = end < 0 ? tag : end
        if (end < 0) break
      }
      rest = text.slice(at)
      if (rest.length > tokenMax) throw notXml('it has a text that is too long')
    },
    end: (): void => {
      if (open.length > 0 || rest.trim() !== '') throw notXml('it is not complete')
    },
  }
}

const [exclamation, question, slash, doubleQuote, singleQuote] = [...Buffer.from('!?/"\'')] as [
  number,
  number,
  number,
  number,
  number,
]

const after = (text: string, end: string, from: number): number => {
  const at = text.indexOf(end, from)
  return at < 0 ? -1 : at + end.length
}

/** The `>` that ends a tag; an attribute's value may contain one too. */
const tagEnd = (text: string, from: number): number => {
  let quote = 0
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === doubleQuote || code === singleQuote) quote = code
    else if (code === 0x3e) return at
  }
  return -1
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

const attributePattern = /\s([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** The attributes of a tag by name, without prefixes. */
export const attributesOf = (text: string): ReadonlyMap<string, string> => {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single = ''] of text.matchAll(attributePattern)) {
    if (!name.startsWith('xmlns')) attributes.set(localName(name), decodeEntities(double ?? single))
  }
  return attributes
}

const namedEntities: { readonly [name: string]: string } = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w{1,10}));/g,
        (all, hex, decimal, name) => {
          const code = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : -1
          if (code >= 0 && code <= 0x10ffff) return String.fromCodePoint(code)
          const character = namedEntities[name as string]
          if (character === undefined) throw notXml(`${all} is not a character`)
          return character
        },
      )
    : text

const notXml = (reason: string): SourceError =>
  new SourceError(`is not a workbook that can be read: a part of it is not valid XML: ${reason}`)

export const readXml = async (
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
): Promise<void> => {
  for await (const _ of xmlSteps(chunks, handler)) {
    // The steps call the handler.
  }
}

/** Reads a document in steps. Each step calls the handler with the content of one chunk. */
export async function* xmlSteps(
  chunks: AsyncIterable<Buffer>,
  handler: XmlHandler,
): AsyncIterable<void> {
  const reader = createXmlReader(handler)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch {
      throw notXml('it is not UTF-8')
    }
  }
  for await (const chunk of chunks) {
    reader.write(decode(chunk))
    yield
  }
  reader.write(decode())
  reader.end()
  yield
}
