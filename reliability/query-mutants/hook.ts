/** Loads one module with a mistake: `node --import <this file>`, with the mistake in the environment. */
import { registerHooks } from 'node:module'
import { mistakeVariable, type SourceMistake, withMistake } from './mistake.ts'

const { file, from, to } = JSON.parse(process.env[mistakeVariable] ?? '') as SourceMistake
const url = new URL(`../../${file}`, import.meta.url).href

registerHooks({
  load: (loaded, context, next) => {
    const result = next(loaded, context)
    if (loaded !== url) return result
    const source = Buffer.from(result.source as Uint8Array).toString('utf8')
    return { ...result, source: withMistake(source, { file, from, to }) }
  },
})
