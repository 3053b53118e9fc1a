/** Prints the addresses that a program would use in this working directory, with nothing set. */
import { readServiceConfig } from '#server'

const { databaseUrl, imagesUrl } = readServiceConfig({})
process.stdout.write(`${databaseUrl} ${imagesUrl}\n`)
