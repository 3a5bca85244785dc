CREATE TABLE `job_depths` (
	`minute` integer NOT NULL,
	`type` text NOT NULL,
	`ready` integer NOT NULL,
	`backlog` integer NOT NULL,
	PRIMARY KEY(`minute`, `type`)
);
