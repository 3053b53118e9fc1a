/** A TypeScript file that says that it is not to be edited. */
export const sourceFile = (...parts: readonly string[]): string =>
  [
    '// Made from the contract by tools/generate.ts. Do not edit: run npm run generate.',
    ...parts,
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n')

/** A sentence above a declaration. */
export const comment = (text: string, indent = ''): string =>
  `${indent}/** ${text.replaceAll('*/', '* /')} */`
