import { posix } from 'node:path'
import { nearest } from '#request'
import { plainText } from '../report.ts'
import { SourceError } from '../row.ts'
import type { Archive } from './archive.ts'
import { type NumberKind, numberKind } from './number-format.ts'
import { attributesOf, readXml, type XmlHandler } from './xml.ts'

/** The shared parts of a workbook (ECMA-376, part 1: SpreadsheetML). */
export interface Workbook {
  readonly sheets: readonly Sheet[]
  /** Whether the workbook uses the 1904 date system. */
  readonly is1904: boolean
  /** The shared strings, by index. */
  readonly texts: readonly string[]
  /** The number kinds, by the index of a cell's style. */
  readonly numberKinds: readonly NumberKind[]
}

interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** The sheet's file in the archive. */
  readonly part: string
}

/** Workbooks, relationships and styles are usually a few kilobytes. */
const partBytesMax = 64 * 1_024 * 1_024
/** The shared strings are the only part held in memory: about 500 MB at either limit. */
const textsBytesMax = 256 * 1_024 * 1_024
const textsMax = 4_000_000

export const readWorkbook = async (archive: Archive): Promise<Workbook> => {
  const root = await readRelationships(archive, '')
  const part = root.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
  const relationships = await readRelationships(archive, part)
  const partOf = (type: string) => relationships.find((each) => each.type === type)?.target
  const { sheets, is1904 } = await readSheets(archive, part, relationships)
  return {
    sheets,
    is1904,
    texts: await readTexts(archive, partOf('sharedStrings')),
    numberKinds: await readNumberKinds(archive, partOf('styles')),
  }
}

/** The sheet with this name, or the first visible one. */
export const sheetOf = ({ sheets }: Workbook, name: string | undefined): Sheet => {
  const [first] = sheets
  if (!first) throw new SourceError('has no sheet with cells')
  if (name === undefined) return sheets.find(({ isHidden }) => !isHidden) ?? first
  const sheet = sheets.find((each) => each.name === name)
  if (sheet) return sheet
  const names = sheets.map((each) => each.name)
  const suggestion = nearest(name, names)
  const advice = suggestion
    ? `did you mean ${JSON.stringify(plainText(suggestion))}?`
    : `its sheets are ${names
        .slice(0, sheetsNamedMax)
        .map((each) => JSON.stringify(plainText(each)))
        .join(', ')}`
  throw new SourceError(`has no sheet ${JSON.stringify(plainText(name))}; ${advice}`)
}

const sheetsNamedMax = 20

interface Relationship {
  readonly id: string
  /** The last segment of its type URI, which is the same in both variants of the format. */
  readonly type: string
  readonly target: string
}

/** The relationships of a part: the other parts that it uses, with their types. */
const readRelationships = async (
  archive: Archive,
  part: string,
): Promise<readonly Relationship[]> => {
  const name = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)
  const relationships: Relationship[] = []
  await readPart(archive, name, {
    open: (element, text) => {
      if (element !== 'Relationship') return
      const attributes = attributesOf(text)
      const target = attributes.get('Target') ?? ''
      relationships.push({
        id: attributes.get('Id') ?? '',
        type: posix.basename(attributes.get('Type') ?? ''),
        target: target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target),
      })
    },
  })
  return relationships
}

const readSheets = async (
  archive: Archive,
  part: string,
  relationships: readonly Relationship[],
): Promise<Pick<Workbook, 'sheets' | 'is1904'>> => {
  const sheets: Sheet[] = []
  const relationshipOf = new Map(relationships.map((each) => [each.id, each]))
  let is1904 = false
  await readPart(archive, part, {
    open: (element, text) => {
      if (element === 'workbookPr') is1904 = isTrue(attributesOf(text).get('date1904'))
      if (element !== 'sheet') return
      const attributes = attributesOf(text)
      const relationship = relationshipOf.get(attributes.get('id') ?? '')
      // A chart can be a whole sheet.
      if (relationship?.type !== 'worksheet') return
      sheets.push({
        name: attributes.get('name') ?? '',
        isHidden: (attributes.get('state') ?? 'visible') !== 'visible',
        part: relationship.target,
      })
    },
  })
  return { sheets, is1904 }
}

const isTrue = (text: string | undefined): boolean => text === '1' || text === 'true'

const readTexts = async (archive: Archive, part: string | undefined): Promise<string[]> => {
  const texts: string[] = []
  let text = ''
  let isText = false
  let inPhonetic = false
  const handler: XmlHandler = {
    open: (element) => {
      if (element === 'si') text = ''
      else if (element === 'rPh') inPhonetic = true
      else if (element === 't') isText = !inPhonetic
    },
    text: (more) => {
      if (isText) text += more
    },
    close: (element) => {
      if (element === 't') isText = false
      else if (element === 'rPh') inPhonetic = false
      else if (element === 'si' && texts.push(decodeText(text)) > textsMax) {
        const limit = textsMax.toLocaleString('en')
        throw new SourceError(
          `is too large: it has more than ${limit} shared strings; save it as CSV UTF-8`,
        )
      }
    },
  }
  if (part) await readXml(archive.read(part, { bytesMax: textsBytesMax }), handler)
  return texts
}

/** Characters that XML cannot contain are written as `_x000D_` (ECMA-376, 22.9.2.19). */
export const decodeText = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text

const readNumberKinds = async (
  archive: Archive,
  part: string | undefined,
): Promise<readonly NumberKind[]> => {
  const codes = new Map<number, string>()
  const formats: number[] = []
  let inCells = false
  await readPart(archive, part, {
    open: (element, text) => {
      if (element === 'cellXfs') inCells = true
      else if (element === 'numFmt') {
        const attributes = attributesOf(text)
        codes.set(Number(attributes.get('numFmtId')), attributes.get('formatCode') ?? '')
      } else if (element === 'xf' && inCells) {
        formats.push(Number(attributesOf(text).get('numFmtId') ?? 0))
      }
    },
    close: (element) => {
      if (element === 'cellXfs') inCells = false
    },
  })
  return formats.map((id) => numberKind(id, codes.get(id)))
}

/** Reads a part if the workbook has it. */
const readPart = async (
  archive: Archive,
  part: string | undefined,
  handler: Partial<XmlHandler>,
): Promise<void> => {
  if (part === undefined || !archive.has(part)) return
  const ignore = () => undefined
  await readXml(archive.read(part, { bytesMax: partBytesMax }), {
    open: ignore,
    text: ignore,
    close: ignore,
    ...handler,
  })
}
