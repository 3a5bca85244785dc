/** Where settings come from: the process over `.env`, and misspelt names are pointed out before anything starts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadEnvironment } from '../../server/environment.ts'
import { tempFolder } from '../support/temp.ts'

async function envFile(text: string): Promise<string> {
  const file = join(await tempFolder(), '.env')
  writeFileSync(file, text)
  return file
}

describe('the environment', () => {
  it('takes the process first and the file second', async () => {
    const file = await envFile('PORT=4000 # comment\nDB_PATH="./a b.db"\n\n# MAX_ATTEMPTS=9\n')
    const env = loadEnvironment(file, { PORT: '5000', HOME: '/home/me' })
    expect(env).toEqual({ PORT: '5000', DB_PATH: './a b.db', HOME: '/home/me' })
  })

  it('needs no file', () => {
    expect(loadEnvironment('/nowhere/.env', { PORT: '1' })).toEqual({ PORT: '1' })
  })

  it.each([
    ['DURABILTY', 'DURABILITY'],
    ['AUTH_TOKENS', 'AUTH_TOKEN'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['MAX_ATTEMPT', 'MAX_ATTEMPTS'],
    ['ALLOW_IP', 'ALLOW_IPS'],
  ])('%s is taken for a misspelt %s', (name, meant) => {
    expect(() => loadEnvironment('/nowhere/.env', { [name]: 'x' })).toThrow(`did you mean ${meant}?`)
    expect(loadEnvironment('/nowhere/.env', { [name]: 'x', [meant]: 'y' })).toHaveProperty(meant)
  })

  it.each(['DB_PASS', 'HOSTS', 'PORTS', 'POST', 'LOG_FILE', 'HOSTNAME', 'NODE_ENV', 'PATH'])(
    '%s is left to whom it belongs',
    (name) => {
      expect(loadEnvironment('/nowhere/.env', { [name]: 'x' })).toEqual({ [name]: 'x' })
    },
  )

  it('lets nothing unknown stand in the file', async () => {
    const file = await envFile('DB_PAHT=./x.db\n')
    expect(() => loadEnvironment(file, {})).toThrow(/sets DB_PAHT, which is not a setting; did you mean DB_PATH\?/)
    const short = await envFile('PROT=3001\n')
    expect(() => loadEnvironment(short, {})).toThrow('did you mean PORT?')
    const other = await envFile('SMTP_HOST=x\n')
    expect(() => loadEnvironment(other, {})).toThrow('see .env.example')
  })
})
