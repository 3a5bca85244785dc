// Types of postgres.mjs, which is plain JavaScript because it runs before anything is installed.
export const POSTGRES_PACKAGE: { readonly name: string; readonly size: number } | undefined
export function postgresPart(): string | undefined
export function postgresInstalled(): string | undefined
export function programIn(folder: string, name: string): string
