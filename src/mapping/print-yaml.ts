/** A value to print as YAML. A `Map` keeps the order of names that look like numbers. */
export type YamlValue =
  | string
  | number
  | boolean
  | null
  | readonly YamlValue[]
  | ReadonlyMap<string, YamlValue>

/** A map of the entries that are there. */
export const yamlMap = (
  entries: readonly (readonly [string, YamlValue | undefined])[],
): ReadonlyMap<string, YamlValue> =>
  new Map(entries.filter((entry): entry is readonly [string, YamlValue] => entry[1] !== undefined))

/** A value in one line, which `parseYaml` reads as the same value. */
export const printYaml = (value: YamlValue): string => {
  if (typeof value === 'string') return printText(value)
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'boolean' || value === null) return String(value)
  if (value instanceof Map) {
    const entries = [...value].map(([name, each]) => `${printName(name)}: ${printYaml(each)}`)
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  return `[${(value as readonly YamlValue[]).map(printYaml).join(', ')}]`
}

/** The name of an entry. YAML marks names that are longer than its limit. */
export const printName = (name: string): string =>
  name.length > nameLengthMax ? `? ${printText(name)} ` : printText(name)

const nameLengthMax = 500

const plain = /^[A-Za-z_][\w./-]*( [\w./-]+)*$/
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i
/** Characters that JSON does not escape, and that YAML does not take or would show as nothing. */
const unprintable = /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g

const printText = (text: string): string =>
  plain.test(text) && !reserved.test(text)
    ? text
    : JSON.stringify(text).replace(
        unprintable,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )

const printNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))
