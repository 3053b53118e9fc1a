/** Clients that generators of others make of the OpenAPI 3.0 document. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { basePath, catalog, operationsOf } from '#contract'
import { clientGenerators, findGenerators, readByGenerated } from '../support/client-generators.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const run = promisify(execFile)
const document = fileURLToPath(new URL('../../connectors/openapi-3.0.json', import.meta.url))
const generators = await findGenerators()
const service = await openTestService({ RATE_BURST: '10000', RATE_PER_SECOND: '1000' })
after(() => service.close())
const key = await service.key('aldermoor')
const server = service.url + basePath

const listed = operationsOf(catalog).filter(({ endpoint }) => endpoint === 'list')
const operations = listed.map(({ id, path }) => ({ id, path }))
const expected = Object.fromEntries(
  listed.map(({ id, resource }) => [id, recordsAt(resource.path).length]),
)

describe('a client that is generated from the OpenAPI 3.0 document', () => {
  for (const generator of clientGenerators) {
    it(`by ${generator.name} compiles and reads all groups`, {
      skip: typeof generators === 'string' ? false : generators.missing,
    }, async () => {
      assert.ok(typeof generators === 'string')
      const { totals } = await readByGenerated(generators, generator, {
        document,
        server,
        key,
        operations,
      })
      assert.deepEqual(totals, expected)
    })
  }

  const hasPerl = spawnSync('perl', ['-MOpenAPI::Client', '-e', '1']).status === 0
  it('by OpenAPI::Client of Perl reads all groups', {
    skip: hasPerl ? false : 'needs OpenAPI::Client: apt-get install libopenapi-client-perl',
  }, async () => {
    const program = `
      use strict; use warnings; use OpenAPI::Client; use Mojo::JSON qw(encode_json);
      my ($document, $server, $key, @operations) = @ARGV;
      my $client = OpenAPI::Client->new("file://$document", base_url => $server);
      $client->ua->on(start => sub { $_[1]->req->headers->authorization("Bearer $key") });
      my %totals;
      for my $operation (@operations) {
        my $tx = $client->$operation({brand => 'aldermoor', limit => 2});
        $totals{$operation} = $tx->res->json->{totalItems};
      }
      print encode_json(\\%totals);`
    const ids = operations.map(({ id }) => id)
    const { stdout } = await run('perl', ['-e', program, document, server, key, ...ids])
    assert.deepEqual(JSON.parse(stdout), expected)
  })
})
