/** The content of a JUnit report: the number of tests, and the failed tests with the reason. */
export interface Report {
  readonly tests: number
  readonly failures: readonly string[]
}

export const readReport = (xml: string): Report => {
  const cases = [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)]
  const failures = cases.flatMap(([, attributes = '', body = '']) => {
    const [, name = ''] = /\bname="([^"]*)"/.exec(attributes) ?? []
    const [, reason] = /<(?:failure|error)[^>]*?message="([^"]*)"/s.exec(body) ?? []
    return /<(failure|error)[\s>]/.test(body) ? [`${plain(name)}: ${plain(reason ?? '')}`] : []
  })
  return { tests: cases.length, failures }
}

const entities: { readonly [name: string]: string } = { lt: '<', gt: '>', quot: '"', apos: "'" }

const plain = (text: string): string =>
  text
    .replaceAll(/&(lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
