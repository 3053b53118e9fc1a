/** Go's template engine with the functions of Helm, which are Debian's packages of both. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstFound, unpack, unpackedAt } from './debian.ts'

const run = promisify(execFile)

/** Renders the templates in a folder. Rejects with what Go reports. */
export type GoRenderer = (
  templates: string,
  data: unknown,
) => Promise<{ readonly [file: string]: string }>

const source = join(import.meta.dirname, 'render-chart.go')
const compiler = 'golang-1.19'
const packages = [
  `${compiler}-go`,
  `${compiler}-src`,
  ...[
    'github-google-uuid',
    'github-huandu-xstrings',
    'github-imdario-mergo',
    'github-masterminds-goutils',
    'github-masterminds-semver',
    'github-masterminds-sprig',
    'github-mitchellh-copystructure',
    'github-mitchellh-reflectwalk',
    'github-shopspring-decimal',
    'github-spf13-cast',
    'golang-x-crypto',
    'gopkg-yaml.v2',
  ].map((name) => `golang-${name}-dev`),
]

/** From a cache, or compiled with Debian's packages. Where there is neither: why. */
export const findGoRenderer = async (): Promise<GoRenderer | { readonly missing: string }> => {
  // With the digest of its source, so that an older one is not used.
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const program = unpackedAt(`render-chart-${digest}`)
  return firstFound('Go is not here and could not be fetched', [
    async () => {
      accessSync(program, constants.X_OK)
      return rendererAt(program)
    },
    async () => {
      await compile(program)
      return rendererAt(program)
    },
  ])
}

const compile = async (program: string): Promise<void> => {
  const name = 'go'
  await unpack(name, packages)
  const root = unpackedAt(name)
  const folder = mkdtempSync(`${program}-`)
  try {
    const home = join(root, 'usr/lib', compiler.replace('golang', 'go'))
    await run(join(home, 'bin/go'), ['build', '-o', join(folder, 'program'), source], {
      env: {
        PATH: process.env['PATH'],
        GOROOT: home,
        GOPATH: join(root, 'usr/share/gocode'),
        GOCACHE: join(folder, 'cache'),
        GO111MODULE: 'off',
        CGO_ENABLED: '0',
      },
    })
    renameSync(join(folder, 'program'), program)
  } finally {
    // The compiler takes 500 MB and is not needed again.
    for (const each of [folder, root]) rmSync(each, { recursive: true, force: true })
  }
}

const rendererAt =
  (program: string): GoRenderer =>
  async (templates, data) => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-go-'))
    try {
      const file = join(folder, 'data.json')
      writeFileSync(file, JSON.stringify(data))
      return JSON.parse((await run(program, [templates, file])).stdout)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
