/** `queuectl completion`: suggestions of the generated scripts. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { queuectl } from '../terminal.ts'

async function script(shell: string): Promise<string> {
  const { code, stdout, stderr } = await queuectl(['completion', shell])
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe('completion', () => {
  it('offers commands and options at the cursor position in bash', async () => {
    const words = await script('bash')
    const offered = (...line: string[]) => {
      const typed = line.map((word) => `'${word}'`).join(' ')
      const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${line.length - 1}; _queuectl; printf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', `${words}\n${ask}`], { encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    expect(offered('queuectl', 'c')).toEqual(['cancel', 'config', 'cleanup', 'completion'])
    expect(offered('queuectl', 'dlq', '')).toEqual(expect.arrayContaining(['list', 'retry', '--json']))
    expect(offered('queuectl', '--json', 'dlq', 'retry', '--a')).toEqual(['--all'])
    expect(offered('queuectl', 'list', '--st')).toEqual(['--state', '--status'])
    expect(offered('queuectl', 'nonsense', 'sta')).toEqual(['status', 'stats'])
  })

  it.each(['zsh', 'fish'])('contains all commands and options for %s', async (shell) => {
    const text = await script(shell)
    for (const word of ['enqueue', 'dlq retry', 'config check', 'enqueue one or more jobs'])
      expect(text).toContain(word)
    expect(text).toMatch(
      shell === 'zsh' ? /'--dedupe-key:one job per type and key\\: duplicates/ : /-l dedupe-key -d 'one job per/,
    )
  })
})
