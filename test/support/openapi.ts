/** OpenAPI documents with their references to parameters and responses resolved. */
import { isJsonObject, type JsonValue, type Schema } from '#contract'

export const expanded = (document: Schema): Schema => {
  const resolve = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(resolve)
    if (!isJsonObject(value)) return value
    const [, kind = '', name = ''] =
      /^#\/components\/(parameters|responses)\/(.+)$/.exec(String(value['$ref'])) ?? []
    const target = ((document['components'] as Schema)[kind] as Schema | undefined)?.[name]
    if (target !== undefined) return resolve(target)
    const entries = Object.entries(value).map(([key, each]) => [key, resolve(each)])
    return Object.fromEntries(entries)
  }
  return { ...document, paths: resolve(document['paths'] as Schema) }
}
