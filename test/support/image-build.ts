/**
 * Builds the container image without a container engine: the steps of the Dockerfile, one after
 * another, each stage in a folder of its own that stands for the image's root. What is copied comes
 * from a clean copy of the checkout with .dockerignore applied.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../../', import.meta.url))

export interface Step {
  readonly instruction: string
  readonly text: string
}

export interface Stage {
  readonly name: string
  readonly base: string
  readonly steps: readonly Step[]
}

/** The stages of a Dockerfile; continued lines are joined, comments left out. */
export const parseDockerfile = (text: string): readonly Stage[] => {
  const stages: { name: string; base: string; steps: Step[] }[] = []
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  for (const line of lines.split('\n').filter((each) => each.trim() !== '')) {
    const [, instruction = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    if (instruction === 'FROM') {
      const [base = '', , name = ''] = rest.split(' ')
      stages.push({ name, base, steps: [] })
    } else stages.at(-1)?.steps.push({ instruction, text: rest })
  }
  return stages
}

/** The files of the checkout that a build may copy. */
const contextFiles = (): readonly string[] => {
  const rules = readFileSync(join(checkout, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const isIgnored = (file: string): boolean => {
    let ignored = false
    for (const rule of rules) {
      const pattern = rule.replace(/^!/, '')
      const fits = matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`)
      if (fits || (pattern === '*' && !file.startsWith('..'))) ignored = !rule.startsWith('!')
    }
    return ignored
  }
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: checkout, encoding: 'utf8' }).split('\0')
  return files.filter((file) => file !== '' && !isIgnored(file))
}

export interface BuildOptions {
  /** The folder in which the stages are built. */
  readonly folder: string
  /**
   * `ci` runs `npm ci` as the Dockerfile has it, and gets the packages of Debian. `link` takes the
   * checkout's own packages and the libraries of this system instead, which needs no network.
   */
  readonly packages: 'ci' | 'link'
}

/** The root folders of all stages by their names; the last one has none. */
export const buildImage = ({ folder, packages }: BuildOptions): ReadonlyMap<string, string> => {
  const context = join(folder, 'context')
  for (const file of contextFiles()) {
    cpSync(join(checkout, file), join(context, file), { recursive: true })
  }
  const roots = new Map<string, string>()
  const stages = parseDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'))
  for (const [index, { name, steps }] of stages.entries()) {
    const root = join(folder, name || `stage-${index}`)
    roots.set(name, root)
    let workFolder = root
    for (const { instruction, text } of steps) {
      if (instruction === 'WORKDIR') {
        workFolder = join(root, text)
        mkdirSync(workFolder, { recursive: true })
      } else if (instruction === 'COPY') copy(text, { context, roots, root, workFolder })
      else if (instruction === 'RUN') run(text, { root, workFolder, packages })
    }
  }
  return roots
}

const copy = (
  text: string,
  at: {
    readonly context: string
    readonly roots: ReadonlyMap<string, string>
    readonly root: string
    readonly workFolder: string
  },
): void => {
  const [, stage] = /--from=(\S+) /.exec(text) ?? []
  const words = text.replace(/--from=\S+ /, '').split(' ')
  const target = words.pop() ?? ''
  const from = stage === undefined ? at.context : (at.roots.get(stage) ?? '')
  const folder = join(target.startsWith('/') ? at.root : at.workFolder, target)
  for (const word of words) {
    const source = join(from, word)
    // Of a folder its content is copied, a file with its name.
    const to = statSync(source).isDirectory() ? folder : join(folder, basename(word))
    mkdirSync(dirname(to), { recursive: true })
    // With owners and modes, which the copy of a container engine keeps too.
    execFileSync('cp', ['--archive', '--no-target-directory', source, to])
  }
}

const run = (
  text: string,
  at: { readonly root: string; readonly workFolder: string } & Pick<BuildOptions, 'packages'>,
): void => {
  const { root, workFolder, packages } = at
  if (text.startsWith('sh image-root.sh') && packages === 'link') {
    mkdirSync(join(root, 'image'))
    return
  }
  const [, ci, rest] = /^(npm ci(?: --\S+)*)(?: && (.+))?$/.exec(text) ?? []
  if (ci && packages === 'link') {
    symlinkSync(join(checkout, 'node_modules'), join(workFolder, 'node_modules'))
    if (rest) run(rest, at)
    return
  }
  const inFolder = text
    .replace('/usr/local/bin/node', process.execPath)
    .replace(' /image ', ` ${join(root, 'image')} `)
  execFileSync('sh', ['-ec', inFolder], { cwd: workFolder, stdio: ['ignore', 'pipe', 'pipe'] })
}
