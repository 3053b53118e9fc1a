import type { JsonValue, Schema } from '#contract'

/**
 * Moves parameters and responses of several operations to the components, so that each is written
 * once. Resolving the references gives the original document.
 */
export const shareRepeated = (document: Schema): Schema => {
  const components = document['components'] as Schema
  const operations = Object.values(document['paths'] as Schema).flatMap((path) =>
    Object.values(path as Schema),
  ) as unknown as readonly Operation[]
  const parameters = sharing(
    'parameters',
    components,
    operations.flatMap((each) => each.parameters.map((part) => [String(part['name']), part])),
  )
  const responses = sharing(
    'responses',
    components,
    operations.flatMap((each) =>
      Object.entries(each.responses).map(([status, part]) => [
        status === '200' ? bodyName(part as Schema) : (namesByStatus[status] ?? `Status${status}`),
        part as Schema,
      ]),
    ),
  )
  const operationOf = (operation: Operation): Operation => ({
    ...operation,
    parameters: operation.parameters.map(parameters.refer),
    responses: mapValues(operation.responses, (each) => responses.refer(each as Schema)),
  })
  return {
    ...document,
    paths: mapValues(document['paths'] as Schema, (path) =>
      mapValues(path as Schema, (operation) => operationOf(operation as unknown as Operation)),
    ),
    components: {
      ...components,
      parameters: { ...(components['parameters'] as Schema), ...parameters.shared },
      responses: { ...(components['responses'] as Schema), ...responses.shared },
    },
  }
}

type Operation = Schema & {
  readonly parameters: readonly Schema[]
  readonly responses: Schema
}

interface Sharing {
  readonly shared: { readonly [name: string]: Schema }
  /** The reference to a shared part; an unshared part unchanged. */
  readonly refer: (part: Schema) => Schema
}

/** Names the parts that occur more than once; a second part of the same name gets a number. */
const sharing = (
  kind: 'parameters' | 'responses',
  components: Schema,
  parts: readonly (readonly [name: string, part: Schema])[],
): Sharing => {
  const usedNames = new Set(Object.keys((components[kind] ?? {}) as Schema))
  const byText = Map.groupBy(
    parts.filter(([, part]) => part['$ref'] === undefined),
    ([, part]) => JSON.stringify(part),
  )
  const names = new Map<string, string>()
  const shared: { [name: string]: Schema } = {}
  for (const [text, [first, ...others]] of byText) {
    if (first === undefined || others.length === 0) continue
    const [wanted, part] = first
    const name = freeName(wanted, usedNames)
    usedNames.add(name)
    names.set(text, name)
    shared[name] = part
  }
  return {
    shared,
    refer: (part) => {
      const name = names.get(JSON.stringify(part))
      return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
    },
  }
}

/** Names of other responses, by status. */
const namesByStatus: { readonly [status: string]: string } = { 304: 'NotModified' }

/** The name of a response's body: that of its schema, or `File`. */
const bodyName = ({ content }: Schema): string => {
  const { schema } = ((content as Schema | undefined)?.['application/json'] ?? {}) as Schema
  const reference = (schema as Schema | undefined)?.['$ref']
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : 'File'
}

const freeName = (name: string, usedNames: ReadonlySet<string>): string => {
  let free = name
  for (let number = 2; usedNames.has(free); number += 1) free = `${name}${number}`
  return free
}

const mapValues = (object: Schema, change: (value: JsonValue) => JsonValue): Schema =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
