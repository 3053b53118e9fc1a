import type { Command } from 'commander'

/** Whether a mapping with open values is accepted. */
export interface OpenOptions {
  readonly allowOpen?: boolean
}

/** Adds the option for mappings that are not finished. */
export const addOpenOption = (command: Command): Command =>
  command.option(
    '--allow-open',
    'take the first candidate of values that are open in the mapping, or leave the field empty',
  )
