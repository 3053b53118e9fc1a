import { type JsonValue, jsonStringEnd } from '#contract'
import { nextTurn } from './turn.ts'

export type JsonRecord = { readonly [name: string]: JsonValue }

/** Parsing this many characters takes a few milliseconds. */
const parsedMax = 262_144

/** Parses records joined by commas. A long page yields to other requests in between. */
export const parseRecords = async (text: string): Promise<readonly JsonRecord[]> => {
  if (text.length <= parsedMax) return JSON.parse(`[${text}]`) as JsonRecord[]
  const records: JsonRecord[] = []
  let lastPause = 0
  for (let start = 0; start < text.length; ) {
    const end = endOfRecord(text, start)
    records.push(JSON.parse(text.slice(start, end)) as JsonRecord)
    start = end + 1
    if (start - lastPause > parsedMax) {
      await nextTurn()
      lastPause = start
    }
  }
  return records
}

/** The index after the object that starts here. */
const endOfRecord = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = jsonStringEnd(text, at) - 1
    } else if (code === openBrace) depth += 1
    else if (code === closeBrace) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return text.length
}

const [quote, openBrace, closeBrace] = [34, 123, 125]
