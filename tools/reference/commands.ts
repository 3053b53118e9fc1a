import type { Command, Option } from 'commander'
import { buildProgram } from '../../src/cli/program.ts'
import { anchorOf, code, page, table } from './markdown.ts'

/** A command with its full name: `selvedge keys issue`. */
export interface NamedCommand {
  readonly words: string
  readonly command: Command
}

/** Every command that can be run, in the order of the help. */
export const namedCommands = (): readonly NamedCommand[] => leaves(program, [])

const program = await buildProgram('')

export const commandsPage = (): string => {
  const all = namedCommands()
  return page(
    '# Commands',
    [
      'In a checkout, run commands with `npx selvedge`. Every command takes `--help`, and `--as <name>`: who runs it,',
      'for [the audit log](../how-to/audit.md).',
      '',
      'Commands read the same [configuration](configuration.md) as the server. Results go to standard',
      'output. Progress and errors go to standard error.',
    ].join('\n'),
    table(
      ['Exit code', 'Meaning'],
      [
        ['0', 'Success, with or without warnings.'],
        ['1', 'The command failed, or found problems.'],
        ['2', 'Invalid usage.'],
      ],
    ),
    all.map(({ words }) => `- [${code(words)}](#${anchorOf(words)})`).join('\n'),
    ...all.flatMap(describe),
  )
}

const leaves = (command: Command, before: readonly string[]): readonly NamedCommand[] => {
  const words = [...before, command.name()]
  return command.commands.length === 0
    ? [{ words: words.join(' '), command }]
    : command.commands.flatMap((each) => leaves(each, words))
}

const describe = ({ words, command }: NamedCommand): readonly string[] => {
  const { registeredArguments, options } = command
  const usage = [
    words,
    ...(options.length > 0 ? ['[options]'] : []),
    ...registeredArguments.map(argumentText),
  ]
  return [
    `## ${words}`,
    command.description(),
    ['```text', usage.join(' '), '```'].join('\n'),
    ...(registeredArguments.length > 0
      ? [
          table(
            ['Argument', 'Description'],
            registeredArguments.map((each) => [code(argumentText(each)), each.description]),
          ),
        ]
      : []),
    ...(options.length > 0
      ? [
          table(
            ['Option', 'Description', 'Default'],
            options.map((option) => [code(option.flags), meaningOf(option), defaultOf(option)]),
          ),
        ]
      : []),
  ]
}

const argumentText = (argument: Command['registeredArguments'][number]): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

const meaningOf = ({ description, argChoices, mandatory }: Option): string =>
  [
    description,
    ...(argChoices ? [`: ${argChoices.map(code).join(', ')}`] : []),
    ...(mandatory ? ['; required'] : []),
  ].join('')

const defaultOf = ({ defaultValue }: Option): string =>
  defaultValue === undefined || defaultValue === '' ? '' : code(String(defaultValue))
