/** Environment: process variables over `.env`, and the check for misspelt names. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadEnvironment } from '../../server/base/config/environment.ts'
import { tempFolder } from '../support/temp.ts'

async function envFile(text: string): Promise<string> {
  const file = join(await tempFolder(), '.env')
  writeFileSync(file, text)
  return file
}

describe('the environment', () => {
  it('process variables override the file', async () => {
    const file = await envFile('PORT=4000 # comment\nDB_PATH="./a b.db"\n\n# MAX_ATTEMPTS=9\n')
    const env = loadEnvironment(file, { PORT: '5000', HOME: '/home/me' })
    expect(env).toEqual({ PORT: '5000', DB_PATH: './a b.db', HOME: '/home/me' })
  })

  it('a missing .env file is allowed', () => {
    expect(loadEnvironment('/nowhere/.env', { PORT: '1' })).toEqual({ PORT: '1' })
  })

  it.each([
    ['DURABILTY', 'DURABILITY'],
    ['AUTH_TOKENS', 'AUTH_TOKEN'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['MAX_ATTEMPT', 'MAX_ATTEMPTS'],
    ['ALLOW_IP', 'ALLOW_IPS'],
  ])('%s is refused as a misspelt %s', (name, suggestion) => {
    expect(() => loadEnvironment('/nowhere/.env', { [name]: 'x' })).toThrow(`did you mean ${suggestion}?`)
    expect(loadEnvironment('/nowhere/.env', { [name]: 'x', [suggestion]: 'y' })).toHaveProperty(suggestion)
  })

  it.each(['DB_PASS', 'HOSTS', 'PORTS', 'POST', 'LOG_FILE', 'HOSTNAME', 'NODE_ENV', 'PATH'])(
    '%s is accepted as a variable of another program',
    (name) => {
      expect(loadEnvironment('/nowhere/.env', { [name]: 'x' })).toEqual({ [name]: 'x' })
    },
  )

  it('refuses names in the file that are close to a setting or have the prefix MILLRACE_', async () => {
    const read = async (line: string) => {
      const file = await envFile(`${line}\n`)
      return () => loadEnvironment(file, {})
    }
    expect(await read('DB_PAHT=./x.db')).toThrow(/sets DB_PAHT, which is not a setting; did you mean DB_PATH\?/)
    expect(await read('PROT=3001')).toThrow('did you mean PORT?')
    expect(await read('DURABILTY=full')).toThrow('did you mean DURABILITY?')
    expect(await read('MILLRACE_ULR=http://a')).toThrow('did you mean MILLRACE_URL?')
    expect(await read('MILLRACE_COLOUR=red')).toThrow('sets MILLRACE_COLOUR, which is not a setting; see .env.example')
  })

  it("accepts an application's own names in the file", async () => {
    const names = ['STRIPE_KEY', 'SMTP_HOST', 'DB_PASS', 'DB_PORT', 'OAUTH_TOKEN', 'REDIS_URL', 'HOSTS', 'API_KEY']
    const file = await envFile(`PORT=4000\n${names.map((name) => `${name}=x`).join('\n')}\n`)
    expect(loadEnvironment(file, {})).toMatchObject({ PORT: '4000', STRIPE_KEY: 'x' })
  })
})
