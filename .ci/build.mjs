// Builds the package into dist/: compiled sources, and the migrations, which are data that tsc leaves behind.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
rmSync('dist', { recursive: true, force: true })

const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
if (tsc.status !== 0) process.exit(tsc.status ?? 1)

for (const dialect of ['sqlite', 'postgres']) {
  const migrations = `drizzle/${dialect}/migrations`
  if (existsSync(migrations)) cpSync(migrations, `dist/${migrations}`, { recursive: true })
}
