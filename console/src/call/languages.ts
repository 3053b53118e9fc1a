import { clientCall } from './client-call.ts'

/** A request that can be written in several languages. */
export interface Request {
  readonly url: string
  /** Whether the response is a page of a list. */
  readonly isList: boolean
}

export interface Language {
  readonly name: string
  write(request: Request): string
}

/**
 * Writes the request in each language, ready to copy. The code reads the key from the environment.
 */
export const languages: readonly Language[] = [
  {
    name: 'curl',
    write: ({ url }) => `curl -H "Authorization: Bearer $SELVEDGE_KEY" \\\n  ${shellQuoted(url)}`,
  },
  {
    name: 'TypeScript',
    write: clientCall,
  },
  {
    name: 'Python',
    write: ({ url, isList }) =>
      isList
        ? `import json, os, urllib.parse, urllib.request

url = ${JSON.stringify(withoutCursor(url))}
headers = {"Authorization": "Bearer " + os.environ["SELVEDGE_KEY"]}
cursor = None
while True:
    page_url = url + ("${new URL(withoutCursor(url)).search ? '&' : '?'}cursor=" + urllib.parse.quote(cursor) if cursor else "")
    with urllib.request.urlopen(urllib.request.Request(page_url, headers=headers)) as answer:
        page = json.load(answer)
    for item in page["items"]:
        print(item)
    cursor = page["nextCursor"]
    if cursor is None:
        break`
        : `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={"Authorization": "Bearer " + os.environ["SELVEDGE_KEY"]},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))`,
  },
]

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const withoutCursor = (url: string): string => {
  const whole = new URL(url)
  whole.searchParams.delete('cursor')
  return whole.href
}
